// The latest changes, in the order in which this process read them. Bounded in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "reader/changes/change.h"
#include "reader/changes/change_place.h"

namespace fanfold::reader {

// One thread at a time.
class ChangeWindow {
 public:
  // About what a change takes beside its text.
  static constexpr std::size_t kChangeBytes = sizeof(Change) + 64;

  // Empty, at `at`.
  ChangeWindow(const ChangePlace& at, std::size_t bytes_max)
      : bytes_max_(bytes_max), floor_(at), at_(at) {}

  // The next event of its partition; null: it changed nothing that is told.
  void Add(const StreamPosition& event, ChangePtr change);

  // All changes between these two are held.
  [[nodiscard]] const ChangePlace& floor() const noexcept { return floor_; }
  [[nodiscard]] const ChangePlace& at() const noexcept { return at_; }
  // Numbers of the changes held: begin ≤ n < end.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return begin_ + changes_.size(); }
  [[nodiscard]] const ChangePtr& operator[](std::uint64_t number) const {
    return changes_[static_cast<std::size_t>(number - begin_)];
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  const std::size_t bytes_max_;
  ChangePlace floor_;
  ChangePlace at_;
  std::deque<ChangePtr> changes_;
  std::uint64_t begin_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace fanfold::reader
