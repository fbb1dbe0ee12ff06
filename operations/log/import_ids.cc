#include "operations/log/import_ids.h"

#include <charconv>
#include <fmt/format.h>

#include "common/base/random.h"

namespace fanfold::operations {

ImportIds::ImportIds() : id_(fmt::format("{:016x}{:016x}", RandomBits(), 0)) {}

const std::string& ImportIds::Of(std::int64_t line) {
  constexpr char kDigits[] = "0123456789abcdef";
  auto rest = static_cast<std::uint64_t>(line);
  for (std::size_t i = id_.size(); i > kOfImport; rest >>= 4) id_[--i] = kDigits[rest & 0xf];
  return id_;
}

std::optional<std::int64_t> ImportIds::LineOf(std::string_view id) const {
  const std::string_view own = std::string_view(id_).substr(0, kOfImport);
  if (id.size() != id_.size() || !id.starts_with(own)) return std::nullopt;
  std::int64_t line = 0;
  const char* end = id.data() + id.size();
  const auto [stopped, error] = std::from_chars(id.data() + kOfImport, end, line, 16);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return line;
}

}  // namespace fanfold::operations
