#include "reader/fans_export.h"

#include "common/base/logging.h"
#include "reader/answers.h"

namespace fanfold::reader {

Result<ExportPage> ReadExportPage(QueryService& service, const FansExportQuery& query) {
  const Result<ListAnswer> page = service.List({.list = ListKind::kFans,
                                                .user = query.user,
                                                .start = {.after = query.after},
                                                .limit = kExportPageMax,
                                                .viewer = {}});
  if (!page) return std::unexpected(page.error());
  return ExportPage{ToNdjson(page->items), page->next};
}

// A sink that is dropped tells the connection that the part will not come.
http::BodySource FansExport::Rest() {
  return [self = shared_from_this()](const http::PartSink& sink) {
    self->read_page_(self, [sink, user = self->next_.user](http::Response page) {
      const bool last = !page.stream;
      if (page.status == 200) return sink({std::move(page.body), last});
      LogWarning("an export of fans is cut", {{"user", user.value}, {"why", page.body}});
    });
  };
}

}  // namespace fanfold::reader
