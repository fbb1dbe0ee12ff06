// The newest posts of many authors together, asked for as few at a time as may do. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/feed/inbox.h"
#include "common/post/listed_post.h"

namespace fanfold::projector {

// First asks for each author's newest few posts. Then asks authors who may have more among the
// newest of all, for twice as many each time.
class NewestPosts {
 public:
  static constexpr std::size_t kAskedMax = 512;  // of an author at once

  // Requires: authors are unique, length > 0.
  NewestPosts(std::span<const UserId> authors, std::size_t length);

  // The stretches to ask for next, `asked()` posts of each at the most; nothing: it is done.
  [[nodiscard]] std::vector<PostStretch> Missing() const;
  [[nodiscard]] std::size_t asked() const noexcept { return asked_; }
  // The answers to all of Missing, in its order, each newest first.
  void Take(std::span<const PostStretch> missing, std::span<const std::vector<PostPlace>> told);

  // Descending, all there are at or above the floor, and others.
  [[nodiscard]] const std::vector<InboxEntry>& posts() const noexcept { return posts_; }
  [[nodiscard]] InboxEntry floor() const;

 private:
  struct Author {
    UserId author;
    PostPlace below;       // no post of the author from here on upwards is missing
    bool has_more = true;  // perhaps
  };

  const std::size_t length_;
  std::size_t asked_;
  std::vector<Author> authors_;
  std::vector<InboxEntry> posts_;
};

}  // namespace fanfold::projector
