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

// The pages after the first. Holds a cursor and no rows: pages are read when they are asked for,
// one at a time, in the generations it began with, each from the tables as they are then. Who is a
// fan from the first page to the last stands in it exactly once; who becomes one or ceases to be
// one meanwhile may stand in it or not.
class FansExport : public std::enable_shared_from_this<FansExport> {
 public:
  using PageDone = std::function<void(http::Response)>;
  // Answers next(); where it has a stream there are more, and next() is the one behind it.
  using ReadPage = std::function<void(std::shared_ptr<FansExport>, PageDone)>;

  explicit FansExport(ReadPage read_page) : read_page_(std::move(read_page)) {}

  // One that cannot be read ends it short. Requires: owned by a shared_ptr, and the next page set.
  [[nodiscard]] http::BodySource Rest();
  // Not while a page is read but by whoever reads it.
  void GoOnAt(const FansExportQuery& next) { next_ = next; }
  [[nodiscard]] const FansExportQuery& next() const noexcept { return next_; }

 private:
  const ReadPage read_page_;
  FansExportQuery next_;
};

}  // namespace fanfold::reader
