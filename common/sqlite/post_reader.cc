#include "common/sqlite/post_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "common/base/check.h"
#include "common/sql/post_columns.h"
#include "common/sql/table_names.h"

namespace fanfold::sqlite {
namespace {

class SqlitePostReader final : public PostReader {
 public:
  SqlitePostReader(Projection projection, Connection& connection)
      : projection_(projection), connection_(connection) {}

  Result<PostView> Page(Generation generation, UserId author, Partition partition,
                        const std::optional<PostPlace>& after, std::size_t limit) override {
    FANFOLD_CHECK(limit <= kPageMax, "too many posts are asked for");
    return connection_.Run([&] {
      const Transaction moment(connection_, Access::kReads);
      PostView view = ViewOf(generation, partition);
      Statement select = connection_.Prepare(SelectPostsText(Table(generation), after.has_value()));
      if (after) {
        select.Bind(author.value, limit, after->score, after->post.value);
      } else {
        select.Bind(author.value, limit);
      }
      while (select.Next()) view.posts.push_back(ReadListedPost(select));
      return view;
    });
  }

  Result<PostView> One(Generation generation, UserId author, Partition partition,
                       PostId post) override {
    return connection_.Run([&] {
      const Transaction moment(connection_, Access::kReads);
      PostView view = ViewOf(generation, partition);
      Statement select = connection_.Prepare(SelectOneText(Table(generation)));
      select.Bind(author.value, post.value);
      if (select.Next()) view.posts.push_back(ReadListedPost(select));
      return view;
    });
  }

  Result<StretchesView> Stretches(Generation generation, std::span<const PostStretch> stretches,
                                  std::size_t limit) override {
    FANFOLD_CHECK(stretches.size() <= kStretchesMax && limit <= kStretchMax,
                  "too many posts are asked for");
    return connection_.Run([&] {
      const Transaction moment(connection_, Access::kReads);
      StretchesView view{{}, LanesOf(generation)};
      for (const PostStretch& stretch : stretches) {
        Statement select = connection_.Prepare(SelectStretchText(Table(generation), stretch.side));
        select.Bind(stretch.author.value, limit, stretch.bound.score, LastBefore(stretch.bound));
        std::vector<PostPlace>& places = view.stretches.emplace_back();
        while (select.Next()) places.push_back({select.I64(0), PostId(select.U64(1))});
      }
      return view;
    });
  }

  Result<PostsView> Among(Generation generation, std::span<const RowKey> posts) override {
    FANFOLD_CHECK(posts.size() <= kPageMax, "too many posts are asked for");
    return connection_.Run([&] {
      const Transaction moment(connection_, Access::kReads);
      PostsView view{{}, LanesOf(generation)};
      Statement select = connection_.Prepare(SelectOneText(Table(generation)));
      for (const RowKey& key : posts) {
        select.Bind(key.user.value, key.other.value);
        std::optional<ListedPost>& post = view.posts.emplace_back();
        if (select.Next()) post = ReadListedPost(select);
      }
      return view;
    });
  }

 private:
  // The last id at its score that is below the bound; ids end where SQLite's numbers do.
  static std::int64_t LastBefore(const PostPlace& bound) {
    return bound.post.value == 0
               ? -1
               : static_cast<std::int64_t>(std::min(bound.post.value - 1, kPostIdMax));
  }

  static std::string SelectOneText(const std::string& table) {
    return fmt::format("SELECT {} FROM {} WHERE author_id = ?1 AND post_id = ?2 AND active = 1",
                       kPostColumns, table);
  }

  // Without posts.
  PostView ViewOf(Generation generation, Partition partition) {
    const PostLanes at = LanesOf(generation);
    const PostLanes::Lane lane = at.LaneOf(partition);
    return {.posts = {},
            .position = lane.position,
            .rewound = lane.rewound,
            .repair_mark = at.repair_mark};
  }
  PostLanes LanesOf(Generation generation) {
    PostLanes at;
    Statement lanes = connection_.Prepare(
        "SELECT `partition`, event_offset, event_offset < folded_offset FROM progress WHERE "
        "projection = ?1 AND generation = ?2 AND stream = ?3 ORDER BY `partition`");
    lanes.Bind(ToString(projection_), generation.value, projection_.stream().name());
    while (lanes.Next()) {
      at.lanes.push_back({Partition(lanes.I32(0)), Offset(lanes.I64(1)), lanes.I64(2) != 0});
    }
    Statement mark = connection_.Prepare("SELECT COALESCE(MAX(mark), 0) FROM repairs");
    if (mark.Next()) at.repair_mark = mark.U64(0);
    return at;
  }
  [[nodiscard]] std::string Table(Generation generation) const {
    return TableOf(projection_.tables()[0], generation);
  }

  const Projection projection_;
  Connection& connection_;
};

}  // namespace

std::unique_ptr<PostReader> NewPostReader(Projection projection, Connection& connection) {
  return std::make_unique<SqlitePostReader>(projection, connection);
}

std::string SelectPostsText(const std::string& table, bool is_behind) {
  return fmt::format(
      "SELECT {} FROM {} WHERE author_id = ?1 AND active = 1{} ORDER BY score DESC, post_id DESC "
      "LIMIT ?2",
      kPostColumns, table, is_behind ? " AND (score, post_id) < (?3, ?4)" : "");
}

std::string SelectStretchText(const std::string& table, PostStretch::Side side) {
  const bool below = side == PostStretch::Side::kBelow;
  return fmt::format(
      "SELECT score, post_id FROM {} WHERE author_id = ?1 AND active = 1 AND (score, post_id) {} "
      "(?3, ?4) ORDER BY score {}, post_id {} LIMIT ?2",
      table, below ? "<=" : ">", below ? "DESC" : "ASC", below ? "DESC" : "ASC");
}

}  // namespace fanfold::sqlite
