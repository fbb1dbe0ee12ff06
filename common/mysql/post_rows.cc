#include "common/mysql/post_rows.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <system_error>
#include <vector>

#include "common/mysql/index_names.h"
#include "common/mysql/keyed_rows.h"
#include "common/sql/post_columns.h"

namespace fanfold::mysql {

std::string SelectPostsOf(const std::string& table, UserId author,
                          const std::optional<PostPlace>& after, std::size_t limit) {
  std::string sql =
      fmt::format("SELECT {} FROM {} FORCE INDEX ({}) WHERE author_id = {} AND active = 1",
                  kPostColumns, table, kPageIndex, author.value);
  if (after) {
    fmt::format_to(std::back_inserter(sql), " AND (score < {0} OR (score = {0} AND post_id < {1}))",
                   after->score, after->post.value);
  }
  fmt::format_to(std::back_inserter(sql), " ORDER BY score DESC, post_id DESC LIMIT {}", limit);
  return sql;
}

void AppendSelectStretch(std::string& sql, const std::string& table, std::size_t number,
                         const PostStretch& stretch, std::size_t limit) {
  const bool below = stretch.side == PostStretch::Side::kBelow;
  const char* order = below ? "DESC" : "ASC";
  fmt::format_to(
      std::back_inserter(sql),
      "(SELECT {}, post_id, 0, score, 1, 0, NULL, 0 FROM {} FORCE INDEX ({}) WHERE "
      "author_id = {} AND active = 1 AND (score {} {} OR (score = {} AND post_id {} {})) "
      "ORDER BY score {}, post_id {} LIMIT {})",
      number, table, kPageIndex, stretch.author.value, below ? "<" : ">", stretch.bound.score,
      stretch.bound.score, below ? "<" : ">=", stretch.bound.post.value, order, order, limit);
}

void AppendSelectNewest(std::string& sql, const std::string& table,
                        std::span<const PostStretch> stretches) {
  std::vector<RowKey> authors;  // by their number
  authors.reserve(stretches.size());
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    authors.push_back({UserId(i), stretches[i].author});
  }
  sql += "WITH k (number, author) AS (VALUES ";
  AppendKeys(sql, authors);
  // One look for both, since each would be one.
  fmt::format_to(
      std::back_inserter(sql),
      ") SELECT number, 0, 0, 0, 1, 0, (SELECT CONCAT(score, ' ', post_id) FROM {} n FORCE "
      "INDEX ({}) WHERE n.author_id = author AND n.active = 1 ORDER BY n.score DESC, "
      "n.post_id DESC LIMIT 1), 0 FROM k",
      table, kPageIndex);
}

PostPlace ReadNewest(std::string_view text) {
  const std::size_t blank = text.find(' ');
  PostPlace place;
  const auto score = std::from_chars(text.data(), text.data() + text.size(), place.score);
  const auto post = std::from_chars(text.data() + std::min(blank + 1, text.size()),
                                    text.data() + text.size(), place.post.value);
  if (score.ec != std::errc() || post.ec != std::errc()) {
    throw Failure(ErrorCode::kInternal, "the database gave a place that is none");
  }
  return place;
}

std::string SelectPost(const std::string& table, UserId author, PostId post) {
  return fmt::format(
      "SELECT {} FROM {} FORCE INDEX ({}) WHERE author_id = {} AND post_id = {} AND active = 1",
      kPostColumns, table, kPrimaryIndex, author.value, post.value);
}

}  // namespace fanfold::mysql
