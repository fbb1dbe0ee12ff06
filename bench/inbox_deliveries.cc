// What a delivery into an inbox costs MariaDB: as parts, as hybrid mode writes them, compacted as
// they grow, or as rows of a table of deliveries, which is what is compared with.
// bench_inbox_deliveries DSN parts|rows POSTS_A_BATCH BATCHES: prints
// {"deliveries":…,"seconds":…,"deliveries_per_second":…}
#include <algorithm>
#include <chrono>
#include <cppconn/connection.h>
#include <cppconn/exception.h>
#include <cppconn/statement.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/raw_connection.h"
#include "common/base/split_mix.h"
#include "common/mysql/dsn.h"
#include "common/mysql/migrations.h"
#include "common/mysql/mysql_store.h"
#include "common/ports/inbox_store.h"
#include "projector/feed/inbox_deliverer.h"

namespace {

using namespace fanfold;

constexpr int kThreads = 2;
constexpr std::uint64_t kOwners = 10'000;
constexpr std::size_t kFansEach = 1'000;
constexpr std::size_t kLength = 500;
// How far either grows beyond before it is trimmed: here about as many batches.
constexpr std::size_t kSlack = 160;
constexpr std::int64_t kFirstScore = 1'700'000'000'000;
constexpr std::size_t kStatementRows = 5'000;
constexpr Generation kInboxes{1};

// Throws what it failed for.
void Must(const Status& status) {
  if (!status) throw std::runtime_error(status.error().message);
}
template <class Value>
Value Must(Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}

// A delivery: to whom, and what.
using Delivery = std::pair<UserId, InboxEntry>;

// Those of one partition, batch by batch.
class Deliveries {
 public:
  Deliveries(int thread, std::size_t posts)
      : random_(static_cast<std::uint64_t>(thread) + 1), posts_(posts) {}

  std::vector<Delivery> Next() {
    std::vector<Delivery> batch;
    batch.reserve(posts_ * kFansEach);
    for (std::size_t i = 0; i < posts_; ++i) {
      score_ += 1 + static_cast<std::int64_t>(random_.Below(20));
      const InboxEntry entry{score_, UserId(1 + random_.Below(1ULL << 24)),
                             PostId(1 + random_.Below(1ULL << 32))};
      for (std::size_t fan = 0; fan < kFansEach; ++fan) {
        batch.emplace_back(UserId(1 + random_.Below(kOwners)), entry);
      }
    }
    std::ranges::sort(batch);
    const auto repeats = std::ranges::unique(batch);
    batch.erase(repeats.begin(), repeats.end());
    return batch;
  }

 private:
  SplitMix64 random_;
  const std::size_t posts_;
  std::int64_t score_ = kFirstScore;
};

class Parts {
 public:
  Parts(const std::string& dsn, int thread)
      : lanes_(Must(NewMysqlLaneStore(dsn, {}))),
        store_(OpenInboxes(*lanes_)),
        partition_(thread) {}

  void Write(const std::vector<Delivery>& batch) {
    std::vector<InboxOwner> owners;
    for (const auto& [owner, entry] : batch) {
      if (owners.empty() || owners.back().owner != owner) owners.push_back({Partition(0), owner});
    }
    const std::vector<ActiveInbox> active =
        Must(store_->Active(owners, ++batches_ % projector::InboxDeliverer::kCountEvery == 0));
    const InboxStood to{Offset(stood_.next_record.value + 1), Offset(stood_.next_event.value + 1)};
    InboxDelivery delivery{{kInboxes, partition_, stood_, to}, {}};
    for (auto at = batch.begin(); at != batch.end();) {
      InboxPart part;
      const UserId owner = at->first;
      for (; at != batch.end() && at->first == owner; ++at) part.posted.push_back(at->second);
      delivery.parts.emplace_back(owner, EncodeInboxPart(part));
    }
    Must(store_->Deliver(delivery));
    stood_ = to;
    std::vector<InboxOwner> grown;
    const auto compact = [&] {
      if (!grown.empty()) Must(store_->Compact(grown, kLength));
      grown.clear();
    };
    for (const ActiveInbox& inbox : active) {
      if (inbox.parts < projector::InboxDeliverer::kPartsMax) continue;
      grown.push_back({Partition(0), inbox.owner});
      if (grown.size() == projector::InboxDeliverer::kCompactedAtOnce) compact();
    }
    compact();
  }

 private:
  std::unique_ptr<LaneStore> lanes_;
  std::unique_ptr<InboxStore> store_;
  const Partition partition_;
  InboxStood stood_;
  std::uint64_t batches_ = 0;
};

// A row a delivery, by the owner's order, in statements of the size at which it was fastest.
class RowEach {
 public:
  RowEach(const Dsn& dsn, int) : connection_(bench::Connect(dsn)) {}

  void Write(const std::vector<Delivery>& batch) {
    const std::unique_ptr<sql::Statement> statement(connection_->createStatement());
    std::string text;
    std::size_t rows = 0;
    const auto send = [&] {
      if (rows > 0) statement->execute(text);
      rows = 0;
    };
    std::vector<std::uint64_t> grown;
    for (const auto& [owner, entry] : batch) {
      if (++grown_[owner.value] == kSlack) grown.push_back(owner.value);
      if (rows == 0) text = "INSERT IGNORE INTO inbox_rows VALUES ";
      fmt::format_to(std::back_inserter(text), "{}({},{},{},{})", rows == 0 ? "" : ",", owner.value,
                     entry.score, entry.author.value, entry.post.value);
      if (++rows == kStatementRows) send();
    }
    send();
    connection_->commit();
    for (const std::uint64_t owner : grown) Trim(*statement, owner);
    connection_->commit();
  }

 private:
  void Trim(sql::Statement& statement, std::uint64_t owner) {
    statement.execute(
        fmt::format("DELETE FROM inbox_rows WHERE owner_id = {0} AND score < (SELECT score FROM "
                    "(SELECT score FROM inbox_rows WHERE owner_id = {0} ORDER BY score DESC LIMIT "
                    "1 OFFSET {1}) last)",
                    owner, kLength - 1));
    grown_[owner] = 0;
  }

  std::unique_ptr<sql::Connection> connection_;
  std::unordered_map<std::uint64_t, std::size_t> grown_;
};

void MakeRows(const Dsn& dsn) {
  const std::unique_ptr<sql::Connection> connection = bench::Connect(dsn);
  const std::unique_ptr<sql::Statement> statement(connection->createStatement());
  statement->execute(
      "CREATE TABLE inbox_rows (owner_id BIGINT UNSIGNED NOT NULL, score BIGINT NOT NULL, "
      "author_id BIGINT UNSIGNED NOT NULL, post_id BIGINT UNSIGNED NOT NULL, PRIMARY KEY "
      "(owner_id, score, author_id, post_id)) ENGINE = InnoDB");
  statement->execute(
      fmt::format("INSERT INTO inbox_rows SELECT o.seq, {} - 20 * p.seq, p.seq, p.seq FROM "
                  "seq_1_to_{} o JOIN seq_1_to_{} p",
                  kFirstScore, kOwners, kLength));
  connection->commit();
}

void MakeOwners(const std::string& dsn) {
  const std::unique_ptr<LaneStore> lanes = Must(NewMysqlLaneStore(dsn, {}));
  const std::unique_ptr<InboxStore> store = OpenInboxes(*lanes);
  std::vector<InboxStart> starts = {{streams::kFeeds, Partition(0), {}}};
  for (int thread = 0; thread < kThreads; ++thread) {
    starts.push_back({streams::kPosts, Partition(thread), {}});
  }
  Must(store->Begin(kInboxes, starts));
  InboxWake wake{{kInboxes, Partition(0), {}, {Offset(1), Offset(1)}}, {}, "1/1/1/1", 1};
  for (std::uint64_t owner = 1; owner <= kOwners; ++owner) wake.owners.emplace_back(owner);
  Must(store->Wake(wake));
  InboxMade made{{.of = {}, .stand = wake.stand}, {}};
  for (std::size_t i = 1; i <= kLength; ++i) {
    made.part.posted.push_back(
        {kFirstScore - 20 * static_cast<std::int64_t>(i), UserId(i), PostId(i)});
  }
  made.head.floor = made.part.posted.back();
  for (const UserId owner : wake.owners) {
    made.head.of = {Partition(0), owner};
    static_cast<void>(Must(store->Join(made)));
    static_cast<void>(Must(store->Finish({Partition(0), owner}, InboxStore::kNobody)));
  }
}

template <class Tables, class Place>
std::size_t Run(const Place& place, std::size_t posts, int batches) {
  std::vector<std::unique_ptr<Tables>> tables;
  tables.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    tables.push_back(std::make_unique<Tables>(place, thread));
  }
  std::vector<std::size_t> delivered(kThreads);
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Deliveries deliveries(thread, posts);
      for (int i = 0; i < batches; ++i) {
        const std::vector<Delivery> batch = deliveries.Next();
        tables[static_cast<std::size_t>(thread)]->Write(batch);
        delivered[static_cast<std::size_t>(thread)] += batch.size();
      }
    });
  }
  threads.clear();
  std::size_t all = 0;
  for (const std::size_t one : delivered) all += one;
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "bench_inbox_deliveries DSN parts|rows POSTS_A_BATCH BATCHES\n");
    return 1;
  }
  const std::string text = argv[1];
  const bool as_parts = std::string_view(argv[2]) == "parts";
  const auto posts = static_cast<std::size_t>(std::atoll(argv[3]));
  const int batches = std::atoi(argv[4]);
  try {
    const Dsn dsn = Must(ParseDsn(text));
    const auto made = Migrate(text, Shard(0), {16, 1});
    if (!made) throw std::runtime_error(made.error().message);
    if (as_parts) {
      MakeOwners(text);
    } else {
      MakeRows(dsn);
    }
    const auto began = std::chrono::steady_clock::now();
    const std::size_t delivered =
        as_parts ? Run<Parts>(text, posts, batches) : Run<RowEach>(dsn, posts, batches);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    fmt::print("{{\"deliveries\":{},\"seconds\":{:.3f},\"deliveries_per_second\":{:.0f}}}\n",
               delivered, seconds, static_cast<double>(delivered) / seconds);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
