#include "reader/fans_export.h"

#include <future>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "common/base/metrics.h"
#include "reader/query_service.h"
#include "reader/response_json.h"
#include "tests/unit/reader/fake_tables.h"

namespace fanfold {
namespace {

using testing::FakeShards;
using testing::FakeTables;

const UserId kUser(1'000'001);

// The next part of a body; nothing when it is cut.
std::optional<http::BodyPart> Pull(const http::BodySource& source) {
  std::promise<std::optional<http::BodyPart>> answer;
  source(http::PartSink(
      [&answer](std::optional<http::BodyPart> part) { answer.set_value(std::move(part)); }));
  return answer.get_future().get();
}

class FansExportTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  // Many at the same time, so that ties stand at the edges of pages.
  void SetFans(std::size_t fans) {
    for (std::size_t i = 1; i <= fans; ++i) {
      tables_.edges.push_back({UserId(i), kUser, static_cast<std::int64_t>(i / 7)});
    }
  }

  std::string AllFans() {
    std::string lines;
    ListQuery query{.list = ListKind::kFans, .user = kUser, .start = {}, .viewer = {}};
    for (bool more = true; more;) {
      const Result<ListAnswer> page = QueryService(shards_, deployment_).List(query);
      lines += ToNdjson(page->items);
      query.start.after = page->next;
      more = page->next.has_value();
    }
    return lines;
  }

  FakeTables tables_;
  FakeShards shards_{tables_};
  Deployment deployment_{tables_.placement, {}};
  Metrics metrics_;
  QueryPool pool_{testing::FactoryOf(tables_), 2, metrics_.GetGauge("fanfold_reader_queue", "")};
  LiveLists live_{2, {}, metrics_};  // follows nothing: the tables answer
  ListLoader loader_{live_};
  std::shared_ptr<FansExport> export_ =
      std::make_shared<FansExport>(pool_, live_, loader_, deployment_, kUser);
};

TEST_P(FansExportTest, IsTheListHoweverManyPages) {
  SetFans(GetParam());
  Result<http::BodyPart> part = export_->NextPage(shards_);
  ASSERT_TRUE(part.has_value());
  std::string lines = part->bytes;
  std::size_t pages = 1;
  const http::BodySource rest = export_->Rest();
  for (bool last = part->last; !last; ++pages) {
    const http::BodyPart next = Pull(rest).value_or(http::BodyPart());
    ASSERT_FALSE(next.bytes.empty());
    lines += next.bytes;
    last = next.last;
  }
  EXPECT_EQ(lines, AllFans());
  EXPECT_EQ(pages, std::max<std::size_t>(1, (GetParam() + kExportPageMax - 1) / kExportPageMax));
}

INSTANTIATE_TEST_SUITE_P(Sizes, FansExportTest,
                         ::testing::Values(0, 1, kExportPageMax - 1, kExportPageMax,
                                           kExportPageMax + 1, 2 * kExportPageMax,
                                           2 * kExportPageMax + 1));

TEST_F(FansExportTest, APageThatCannotBeReadCutsIt) {
  SetFans(3 * kExportPageMax);
  ASSERT_TRUE(export_->NextPage(shards_).has_value());
  const http::BodySource rest = export_->Rest();
  ASSERT_TRUE(Pull(rest).has_value());
  tables_.away = true;
  EXPECT_FALSE(Pull(rest).has_value());
}

TEST_F(FansExportTest, APoolWithoutRoomCutsIt) {
  SetFans(2 * kExportPageMax);
  QueryPool full(testing::FactoryOf(tables_), 1, metrics_.GetGauge("fanfold_reader_queue", ""), 0);
  const auto fans = std::make_shared<FansExport>(full, live_, loader_, deployment_, kUser);
  ASSERT_TRUE(fans->NextPage(shards_).has_value());
  EXPECT_FALSE(Pull(fans->Rest()).has_value());
}

TEST_F(FansExportTest, TablesAwayAreSaidBeforeItBegins) {
  tables_.away = true;
  const Result<http::BodyPart> page = export_->NextPage(shards_);
  ASSERT_FALSE(page.has_value());
  EXPECT_EQ(page.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace fanfold
