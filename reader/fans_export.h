// Every fan of a user, newest first, as NDJSON.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/base/result.h"
#include "common/http/body_source.h"
#include "common/http/http_server.h"
#include "reader/queries.h"
#include "reader/query_service.h"

namespace fanfold::reader {

struct ExportPage {
  std::string lines;
  std::optional<Cursor> next;  // nothing: it was the last
};
// Errors: those of ProjectionReader.
[[nodiscard]] Result<ExportPage> ReadExportPage(QueryService& service,
                                                const FansExportQuery& query);

// The pages after the first. Holds a cursor and no rows: each page is read when it is asked for,
// one at a time, in the generations that the export began with, from the tables as they are then. A
// user who is a fan from the first page to the last stands in it exactly once; one who becomes a
// fan, or ceases to be one, meanwhile may stand in it or not.
class FansExport : public std::enable_shared_from_this<FansExport> {
 public:
  using PageDone = std::function<void(http::Response)>;
  // Reads the page next(). A response with a stream says that more pages come; next() is the one
  // behind it then.
  using ReadPage = std::function<void(std::shared_ptr<FansExport>, PageDone)>;

  explicit FansExport(ReadPage read_page) : read_page_(std::move(read_page)) {}

  // A page that cannot be read cuts the export short. Requires: owned by a shared_ptr, and the next
  // page set.
  [[nodiscard]] http::BodySource Rest();
  // While a page is read only its reader may call this.
  void GoOnAt(const FansExportQuery& next) { next_ = next; }
  [[nodiscard]] const FansExportQuery& next() const noexcept { return next_; }

 private:
  const ReadPage read_page_;
  FansExportQuery next_;
};

}  // namespace fanfold::reader
