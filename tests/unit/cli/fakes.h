// A session on a deployment in memory, and a console that can be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cli/terminal/session.h"
#include "tests/unit/operations/fakes.h"

namespace fanfold::testing {

inline constexpr std::int32_t kPartitions = 4;
inline constexpr Generation kG1{1};
inline constexpr Generation kG2{2};

// Takes what a console says into memory.
class Captured {
 public:
  Captured() : file_(open_memstream(&bytes_, &size_)) {}
  ~Captured() {
    std::fclose(file_);
    std::free(bytes_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  [[nodiscard]] std::FILE* file() const { return file_; }
  [[nodiscard]] std::string text() const {
    std::fflush(file_);
    return {bytes_, size_};
  }

 private:
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

struct FakeSession {
  explicit FakeSession(std::int32_t partitions, std::int32_t shards = 1, bool terminal = false)
      : backend(partitions, shards),
        console({.out = out.file(), .err = err.file(), .err_is_terminal = terminal, .columns = 80}),
        session{backend, clock, interrupt, console} {}

  FakeBackend backend;
  FakeClock clock;
  FakeInterrupt interrupt{clock};
  Captured out;
  Captured err;
  Console console;
  Session session;
};

}  // namespace fanfold::testing
