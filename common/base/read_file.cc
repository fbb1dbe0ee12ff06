#include "common/base/read_file.h"

#include <fstream>

namespace fanfold {

std::expected<std::string, std::string_view> ReadUpTo(const std::string& path,
                                                      std::size_t bytes_max) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected("cannot be opened");
  std::string text(bytes_max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return std::unexpected("cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace fanfold
