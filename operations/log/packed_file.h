// The bytes of a file, gzip or plain, or of stdin.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "common/base/result.h"
#include "operations/base/interrupt.h"

namespace fanfold::operations {

// One thread at a time. Memory is bounded by its buffer.
class PackedFile {
 public:
  // "-" is stdin. Blocks until its first bytes are there. Errors: kInvalidArgument, it cannot be
  // opened or read, or is packed by something else than gzip; kTimeout, as of Read, `interrupt`,
  // which may be null and outlives this, has asked to stop while a pipe had nothing to say.
  [[nodiscard]] static Result<PackedFile> Open(const std::string& path,
                                               Interrupt* interrupt = nullptr);

  PackedFile(PackedFile&&) noexcept;
  ~PackedFile();

  // The next bytes, unpacked; 0 at the end. Requires: `to` is not empty. Errors:
  // kInvalidArgument, it cannot be read on, its gzip ends early or is damaged, or something else
  // stands behind it; what stands before is given first. Blocks as the file does.
  [[nodiscard]] Result<std::size_t> Read(std::span<char> to);

  // The bytes of the file as it is stored; the total is 0 when not known.
  [[nodiscard]] std::int64_t bytes_total() const noexcept;
  [[nodiscard]] std::int64_t bytes_read() const noexcept;

 private:
  struct State;
  explicit PackedFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fanfold::operations
