#include "reader/fans_export.h"

#include <utility>

#include "common/base/logging.h"
#include "reader/cache/live_reader.h"
#include "reader/query_service.h"
#include "reader/response_json.h"

namespace fanfold {
namespace {

void WarnOfCut(UserId user, const Error& error) {
  LogWarning("an export of fans is cut", {{"user", user.value}, {"why", error.message}});
}

}  // namespace

Result<http::BodyPart> FansExport::NextPage(ShardedLists& lists) {
  const Result<ListAnswer> page = QueryService(lists, deployment_)
                                      .List({.list = ListKind::kFans,
                                             .user = user_,
                                             .start = {.after = after_},
                                             .limit = kExportPageMax,
                                             .viewer = {}});
  if (!page) return std::unexpected(page.error());
  after_ = page->next;
  return http::BodyPart{ToNdjson(page->items), !page->next};
}

Result<http::BodyPart> FansExport::NextPageOnWorker(ShardedReader& readers) {
  if (!live_.Holds(deployment_.read)) return NextPage(readers);
  LiveReader lists(live_, loader_, deployment_, &readers);
  return NextPage(lists);
}

http::BodySource FansExport::Rest() {
  return [self = shared_from_this()](const http::PartSink& sink) { self->Ask(sink); };
}

// A sink that is dropped tells the connection that the part will not come.
void FansExport::Ask(const http::PartSink& sink) {
  const Status taken = pool_.Submit([self = shared_from_this(), sink](ShardedReader& readers) {
    Result<http::BodyPart> page = self->NextPageOnWorker(readers);
    if (!page) return WarnOfCut(self->user_, page.error());
    sink(*std::move(page));
  });
  if (!taken) WarnOfCut(user_, taken.error());
}

}  // namespace fanfold
