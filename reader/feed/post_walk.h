// An author's posts one after another, over the runs that are known of them. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "reader/feed/post_run.h"

namespace fanfold::reader {

// The known runs of an author's posts, at one position. They may overlap, and need not touch.
struct AuthorRuns {
  UserId author;
  const PostRun* newest = nullptr;  // its high is kAboveAll
  std::array<const PostRun*, 2> others{};
};

enum class Step : std::uint8_t {
  kPost,     // key() is its
  kEnd,      // the author has no more
  kUnknown,  // no run tells what comes; it begins at key()
};

// The posts below a bound, newest first. Unknown ones are below key().
class PostsDown {
 public:
  // `runs` outlives this and does not change.
  PostsDown(const AuthorRuns& runs, const PostPlace& below) noexcept : runs_(&runs), key_(below) {}

  [[nodiscard]] Step Next() noexcept;
  [[nodiscard]] const PostPlace& key() const noexcept { return key_; }
  [[nodiscard]] const AuthorRuns& runs() const noexcept { return *runs_; }

 private:
  const AuthorRuns* runs_;
  const PostRun* run_ = nullptr;
  std::size_t place_ = 0;  // how many posts of run_ are below key_
  PostPlace key_;
};

// The posts at or above a bound, oldest first. Unknown ones are at or above key(), which is no
// post's that was told.
class PostsUp {
 public:
  // `runs` outlives this and does not change.
  PostsUp(const AuthorRuns& runs, const PostPlace& at_or_above) noexcept
      : runs_(&runs), key_(at_or_above) {}

  [[nodiscard]] Step Next() noexcept;
  [[nodiscard]] const PostPlace& key() const noexcept { return key_; }
  [[nodiscard]] const AuthorRuns& runs() const noexcept { return *runs_; }

 private:
  const AuthorRuns* runs_;
  const PostRun* run_ = nullptr;
  std::size_t place_ = 0;  // of the next post in run_
  PostPlace key_;
};

}  // namespace fanfold::reader
