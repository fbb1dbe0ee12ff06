// A file that is lines told to somebody.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

namespace fanfold::console {

// One thread at a time.
class LineFile {
 public:
  // Above it a write fails with EMSGSIZE, and nothing is told up to the next end of a line that
  // arrives: stdio may have dropped the line's own with what it could not write.
  static constexpr std::size_t kLineBytesMax = std::size_t{8} << 20;

  // Is told each line, without its end; false: nobody listens, and writes fail with EPIPE.
  using Told = std::function<bool(std::string_view line)>;

  explicit LineFile(Told told);
  // Tells what stands behind the last line's end.
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  [[nodiscard]] std::FILE* file() const noexcept { return file_; }

 private:
  static ssize_t Written(void* self, const char* bytes, std::size_t size);
  [[nodiscard]] int Take(std::string_view bytes);

  const Told told_;
  std::string line_;
  bool too_long_ = false;  // up to its end
  std::FILE* file_;
};

}  // namespace fanfold::console
