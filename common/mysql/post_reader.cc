#include "common/mysql/post_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "common/mysql/index_names.h"
#include "common/mysql/keyed_tables.h"
#include "common/mysql/post_rows.h"
#include "common/sql/post_columns.h"
#include "common/sql/table_names.h"

namespace fanfold::mysql {
namespace {

// One statement: posts, their lanes and the repair mark, told apart by their last column.
class MysqlPostReader final : public PostReader {
 public:
  MysqlPostReader(Projection projection, Connection& connection)
      : projection_(projection), connection_(connection) {}

  Result<PostView> Page(Generation generation, UserId author, Partition partition,
                        const std::optional<PostPlace>& after, std::size_t limit) override {
    FANFOLD_CHECK(limit <= kPageMax, "too many posts are asked for");
    return View(generation, partition, SelectPostsOf(Table(generation), author, after, limit));
  }

  Result<PostView> One(Generation generation, UserId author, Partition partition,
                       PostId post) override {
    return View(generation, partition, SelectPost(Table(generation), author, post));
  }

  Result<StretchesView> Stretches(Generation generation, std::span<const PostStretch> stretches,
                                  std::size_t limit) override {
    FANFOLD_CHECK(stretches.size() <= kStretchesMax && limit <= kStretchMax,
                  "too many posts are asked for");
    return connection_.Run([&] {
      StretchesView view{std::vector<std::vector<PostPlace>>(stretches.size()), {}};
      if (AreNewest(stretches, limit)) {
        std::string sql;
        AppendSelectNewest(sql, Table(generation), stretches);
        view.at = Ask(sql + " UNION ALL ", generation, "", [&](const Rows& rows) {
          if (!rows.IsNull(6)) view.stretches.at(rows.U64(0)).push_back(ReadNewest(rows.Text(6)));
        });
        return view;
      }
      std::string sql;
      for (std::size_t i = 0; i < stretches.size(); ++i) {
        AppendSelectStretch(sql, Table(generation), i, stretches[i], limit);
        sql += " UNION ALL ";
      }
      view.at = Ask(sql, generation, "", [&](const Rows& rows) {
        view.stretches.at(rows.U64(0)).push_back({rows.I64(3), PostId(rows.U64(1))});
      });
      for (std::size_t i = 0; i < stretches.size(); ++i) Sort(view.stretches[i], stretches[i].side);
      return view;
    });
  }

  Result<PostsView> Among(Generation generation, std::span<const RowKey> posts) override {
    FANFOLD_CHECK(posts.size() <= kPageMax, "too many posts are asked for");
    return connection_.Run([&] {
      PostsView view{std::vector<std::optional<ListedPost>>(posts.size()), {}};
      std::string sql = "SELECT p.*, 0 FROM (";
      AppendSelectKeyed(sql, Table(generation), PostTable::kColumns, kPostColumns, posts);
      sql += ") p WHERE p.active = 1 UNION ALL ";
      view.at = Ask(sql, generation, "", [&](const Rows& rows) {
        const auto at = std::ranges::find(posts, ReadRowKey(rows)) - posts.begin();
        view.posts.at(static_cast<std::size_t>(at)) = ReadListedPost(rows);
      });
      return view;
    });
  }

 private:
  static constexpr int kLane = 1;
  static constexpr int kMark = 2;

  Result<PostView> View(Generation generation, Partition partition, const std::string& posts) {
    return connection_.Run([&] {
      PostView view;
      const PostLanes at =
          Ask("SELECT p.*, 0 FROM (" + posts + ") p UNION ALL ", generation,
              fmt::format(" AND `partition` = {}", partition.value),
              [&](const Rows& rows) { view.posts.push_back(ReadListedPost(rows)); });
      std::ranges::sort(view.posts, std::greater(), &ListedPost::place);
      const PostLanes::Lane lane = at.LaneOf(partition);
      view.position = lane.position;
      view.rewound = lane.rewound;
      view.repair_mark = at.repair_mark;
      return view;
    });
  }

  // Of each author the newest post, whatever its score?
  static bool AreNewest(std::span<const PostStretch> stretches, std::size_t limit) {
    return limit == 1 && !stretches.empty() &&
           std::ranges::all_of(stretches, [](const PostStretch& stretch) {
             return stretch.side == PostStretch::Side::kBelow &&
                    stretch.bound.score == std::numeric_limits<std::int64_t>::max() &&
                    stretch.bound.post.value > kPostIdMax;
           });
  }

  // A union promises no order.
  static void Sort(std::vector<PostPlace>& places, PostStretch::Side side) {
    if (side == PostStretch::Side::kBelow) std::ranges::sort(places, std::greater());
    if (side == PostStretch::Side::kAtOrAbove) std::ranges::sort(places);
  }

  // `posts` has kPostColumns and 0, and leads on to the rest. Throws Failure.
  template <class TakePost>
  PostLanes Ask(const std::string& posts, Generation generation, const std::string& of_lanes,
                const TakePost& take_post) {
    PostLanes at;
    Rows rows = connection_.Query(
        posts +
        fmt::format("SELECT `partition`, 0, 0, event_offset, event_offset < folded_offset, 0, "
                    "NULL, {} FROM progress FORCE INDEX ({}) WHERE projection = '{}' AND "
                    "generation = {} AND stream = '{}'{} UNION ALL SELECT "
                    "COALESCE(MAX(mark), 0), 0, 0, 0, 0, 0, NULL, {} FROM repairs",
                    kLane, kPrimaryIndex, ToString(projection_), generation.value,
                    projection_.stream().name(), of_lanes, kMark));
    while (rows.Next()) {
      switch (rows.I32(7)) {
        case kLane:
          at.lanes.push_back({Partition(rows.I32(0)), Offset(rows.I64(3)), rows.I64(4) != 0});
          break;
        case kMark:
          at.repair_mark = rows.U64(0);
          break;
        default:
          take_post(std::as_const(rows));
      }
    }
    std::ranges::sort(at.lanes, {}, &PostLanes::Lane::partition);
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
  return std::make_unique<MysqlPostReader>(projection, connection);
}

}  // namespace fanfold::mysql
