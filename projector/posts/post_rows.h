// Rows of posts gathered from their outcomes, the latest of each. Pure.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <vector>

#include "common/ports/post_store.h"
#include "projector/runtime/fold.h"

namespace fanfold::projector {

class PostRows {
 public:
  // As FoldBatch::ReadDecided and Keep have it. Outcomes are whole.
  [[nodiscard]] std::vector<std::expected<Decided, Unreadable>> Read(
      std::span<const LogRecord> records);
  void Keep(std::span<const std::size_t> places);

  // By key, the latest of each alone.
  void Seal();
  [[nodiscard]] const PostWrites& writes() const noexcept { return writes_; }
  // About how much memory they take, as they were kept.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void Clear();

 private:
  std::vector<std::expected<PostOutcome, Unreadable>> read_;
  PostWrites writes_;
  std::size_t bytes_ = 0;
};

// About how much memory one takes.
[[nodiscard]] std::size_t BytesOf(const PostWrite& write) noexcept;

}  // namespace fanfold::projector
