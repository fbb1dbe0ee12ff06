// The posts that one answer had fetched: with them it comes about whatever memory can hold. Pure.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "reader/feed/author_table.h"
#include "reader/feed/post_walk.h"

namespace fanfold::reader {

// Thread-compatible. All is at one position, as the runs are to which it is lent.
class FilledGaps {
 public:
  // Joined with what it touches of the author, else in its place.
  void Fill(UserId author, PostRun run);
  void Move(const PostMove& move);
  // Adds each author's filled gaps to the known runs. They are good until something changes.
  void LendTo(std::span<AuthorRuns> authors) const;

  [[nodiscard]] bool empty() const noexcept { return filled_.empty(); }
  [[nodiscard]] std::vector<UserId> Authors() const;
  void Clear() { filled_.clear(); }

 private:
  struct Filled {
    std::optional<PostRun> newest;
    std::optional<PostRun> deeper;
  };
  std::unordered_map<UserId, Filled> filled_;
};

}  // namespace fanfold::reader
