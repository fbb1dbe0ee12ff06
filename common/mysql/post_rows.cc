#include "common/mysql/post_rows.h"

#include <fmt/format.h>
#include <iterator>

#include "common/mysql/index_names.h"
#include "common/mysql/keyed_rows.h"
#include "common/mysql/sql_text.h"
#include "common/sql/post_columns.h"

namespace fanfold::mysql {

void AppendSelectPosts(std::string& sql, const std::string& table, std::span<const RowKey> keys,
                       bool whole) {
  sql += "WITH k (author_id, post_id) AS (VALUES ";
  AppendKeys(sql, keys);
  fmt::format_to(std::back_inserter(sql),
                 ") SELECT STRAIGHT_JOIN p.author_id, p.post_id, p.type, p.score, p.active, "
                 "p.version{} FROM k JOIN {} p FORCE INDEX ({}) ON p.author_id = k.author_id AND "
                 "p.post_id = k.post_id",
                 whole ? ", p.content" : "", table, kPrimaryIndex);
}

void AppendPost(std::string& sql, const PostWrite& write) {
  const PostRow& row = write.row;
  fmt::format_to(std::back_inserter(sql), "({},{},{},{},{},{},", write.key.user.value,
                 write.key.other.value, row.post_type, row.score, row.active ? 1 : 0,
                 row.version.value);
  AppendBytes(sql, row.content);
  sql += ')';
}

void AppendNewerPostCounts(std::string& sql) {
  sql += " ON DUPLICATE KEY UPDATE ";
  for (const char* column : {"type", "score", "active", "content"}) {
    fmt::format_to(std::back_inserter(sql),
                   "{0} = IF(VALUES(version) > version, VALUES({0}), {0}), ", column);
  }
  // Assignments see the columns assigned before them: version, which the guard reads, comes last.
  sql += "version = GREATEST(version, VALUES(version))";
}

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

std::string SelectPost(const std::string& table, UserId author, PostId post) {
  return fmt::format(
      "SELECT {} FROM {} FORCE INDEX ({}) WHERE author_id = {} AND post_id = {} AND active = 1",
      kPostColumns, table, kPrimaryIndex, author.value, post.value);
}

}  // namespace fanfold::mysql
