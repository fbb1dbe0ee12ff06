// Every fan of a user, newest first, as NDJSON.
#pragma once

#include <memory>
#include <optional>

#include "common/base/result.h"
#include "common/http/body_source.h"
#include "common/relation/cursor.h"
#include "common/relation/ids.h"
#include "reader/cache/list_loader.h"
#include "reader/cache/live_lists.h"
#include "reader/lanes_read.h"
#include "reader/query_pool.h"
#include "reader/sharded_reader.h"

namespace fanfold {

// Holds a cursor and no rows: pages are read when they are asked for, one at a time, in the
// generations it began with. Who is a fan from the first page to the last stands in it exactly
// once; who becomes one or ceases to be one meanwhile may stand in it or not.
class FansExport : public std::enable_shared_from_this<FansExport> {
 public:
  // All references outlive every source that Rest gives.
  FansExport(QueryPool& pool, LiveLists& live, ListLoader& loader, const Deployment& deployment,
             UserId user)
      : pool_(pool), live_(live), loader_(loader), deployment_(deployment), user_(user) {}

  // The next page, the first one first. Errors: those of ProjectionReader. Not by two at a time,
  // and not after the last.
  [[nodiscard]] Result<http::BodyPart> NextPage(ShardedLists& lists);

  // The pages that are left, each read on a worker of the pool. One that cannot be read ends it
  // short. Requires: owned by a shared_ptr.
  [[nodiscard]] http::BodySource Rest();

 private:
  void Ask(const http::PartSink& sink);
  [[nodiscard]] Result<http::BodyPart> NextPageOnWorker(ShardedReader& readers);

  QueryPool& pool_;
  LiveLists& live_;
  ListLoader& loader_;
  const Deployment deployment_;
  const UserId user_;
  std::optional<Cursor> after_;
};

}  // namespace fanfold
