// A parsed read on its way to an answer: admitted, perhaps waiting for a position, run on a worker.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/caller.h"
#include "common/base/cause_filter.h"
#include "common/base/clock.h"
#include "common/http/http_server.h"
#include "reader/cache/list_fetcher.h"
#include "reader/cache/live_lists.h"
#include "reader/cold_users.h"
#include "reader/expansion.h"
#include "reader/freshness/position_board.h"
#include "reader/freshness/position_gate.h"
#include "reader/freshness/position_waits.h"
#include "reader/queries.h"
#include "reader/query_needs.h"
#include "reader/query_pool.h"

namespace fanfold::reader {

class FansExport;

// Thread-safe; never blocks. Answers from memory at once, on the caller's thread. Every answer to a
// read that was admitted carries Fanfold-Lag-Ms.
class ReadExecutor {
 public:
  // A read asks the tables no more once it has asked them for this long: many cold users would hold
  // a worker for as many statements.
  static constexpr std::int64_t kTablesMaxMs = 5000;

  // From the arrival of a read to its last question to the tables, however often it waits for a
  // position and for a worker, and is read anew.
  static constexpr std::int64_t kReadMaxMs =
      kPositionTimeoutMaxMs + QueryPool::kQueuedMaxMs + kTablesMaxMs;

  using Done = std::function<void(http::Response)>;

  // All outlive this object and every call back to `done`.
  ReadExecutor(PositionBoard& board, LiveLists& live, PositionGate& gate, PositionWaits& waits,
               QueryPool& pool, const Clock& clock, Metrics& metrics)
      : board_(board),
        live_(live),
        fetcher_(live),
        gate_(gate),
        waits_(waits),
        pool_(pool),
        clock_(clock),
        cold_(board, live, pool, clock,
              metrics.GetGauge("fanfold_reader_queue_cold",
                               "Reads that wait for a user to be brought into memory")) {}

  // Calls `done` once, from any thread. Problems: 400 (no such partition or generation), 409
  // (position not reached in time), 503 (tables away, too many queries or waits).
  void Execute(ReadRequest request, Done done, CallerPtr caller = nullptr);

 private:
  // A read that was admitted.
  struct Read {
    ReadRequest request;
    Deployment deployment;  // the generations that are waited for are those that are read
    std::vector<LanesRead> lanes;
    PositionNeed need;
    std::int64_t deadline_ms = 0;  // of all waits together
    Done done;
    CallerPtr caller;
    std::shared_ptr<FansExport> exported;  // the export that this page goes on with
  };
  using ReadPtr = std::shared_ptr<const Read>;
  struct Answered {
    http::Response response;
    std::optional<Cursor> rest = std::nullopt;  // of an export that goes on: the last fan so far
    bool rest_as_tables_are = false;            // what is told beside the lists
  };
  // The stretches of the lists, and of all that is told beside them: has one ended since?
  class Stretches {
   public:
    Stretches(const LiveLists& lists, const ReadRequest& request);
    [[nodiscard]] bool Last() const;

   private:
    std::array<const ReaderPosition*, 3> all_;
    std::array<std::uint64_t, 3> begun_;
  };

  struct MemoryAsked {
    bool at_once = false;      // by a thread that others wait for: nothing long
    bool was_fetched = false;  // for this read
  };

  // On any thread.
  // Nothing when memory alone does not do, or has not come to what is needed.
  [[nodiscard]] std::optional<Answered> FromMemory(const ReadRequest& request,
                                                   const Deployment& deployment,
                                                   const PositionNeed& need,
                                                   const MemoryAsked& how);
  // Null where nothing is expanded. All are of the caller, and outlive it.
  [[nodiscard]] static Expand ExpandFor(const ReadRequest& request, const Deployment& deployment,
                                        const ExpandFrom& from, bool& as_tables_are);
  [[nodiscard]] Result<Answered> Answer(const ReadRequest& request, const Deployment& deployment,
                                        ShardedLists& lists, const ExpandFrom& from);
  // The lag of what is at the reader's position, without rows of TablesBeside.
  [[nodiscard]] Lag LagAtReader(const ReadRequest& request, const Deployment& deployment) const;
  // The position is reached: asks memory, then the tables.
  void AnswerReached(const ReadPtr& read, bool was_fetched = false);
  void WaitThenAnswer(const ReadPtr& read);
  void AskAgain(const ReadPtr& read);
  void Enqueue(const ReadPtr& read);
  // The lists of one user that the read needs and memory lacks, where they would do.
  [[nodiscard]] std::optional<ListsOfUser> MissingFor(const Read& read);
  // A shard known to be away must not hold the workers that the others need.
  [[nodiscard]] Status ShardsUp(const Read& read) const;
  void Submit(const ReadPtr& read);
  void Refuse(const Read& read, const Error& error);
  // Logs what nobody is told.
  void Note(const Error& error);

  // On a worker: read_executor_tables.cc.
  void RunInTurn(const ReadPtr& read, std::int64_t queued_ms, ShardedReader& readers);
  [[nodiscard]] std::int64_t TablesUntilMs(const Read& read) const;
  void Run(const ReadPtr& read, ShardedReader& readers);
  void ReadTables(Read read);
  void RunAtReader(const ReadPtr& read, ShardedReader& readers);
  [[nodiscard]] Result<Answered> AnswerOfTables(const Read& read, ShardedReader& readers);
  [[nodiscard]] Result<Answered> AnswerProjections(const Read& read, ShardedReader& readers);
  [[nodiscard]] static Result<Answered> AnswerTenant(const Read& read, ShardedReader& readers);
  // Tells an answer; that of an export with how it goes on.
  void Tell(const Read& read, Answered answered);
  [[nodiscard]] std::shared_ptr<FansExport> NewExport(const Read& begun);

  PositionBoard& board_;
  LiveLists& live_;
  ListFetcher fetcher_;
  PositionGate& gate_;
  PositionWaits& waits_;
  QueryPool& pool_;
  const Clock& clock_;
  ColdUsers cold_;
  CauseFilter causes_;  // of failed reads
};

}  // namespace fanfold::reader
