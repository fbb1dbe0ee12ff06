// A log in a file, read and checked record by record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.h"
#include "operations/log/line_source.h"
#include "operations/log/log_line.h"

namespace fanfold::operations {

// One thread at a time. Every error is kInvalidArgument and names the line.
class LogFileReader {
 public:
  // Reads the header; "-" is stdin, gzip is recognised.
  [[nodiscard]] static Result<LogFileReader> Open(const std::string& path);

  // Its partitions, of each topic, are a power of two up to 1024.
  [[nodiscard]] const LogHeader& header() const noexcept { return header_; }

  // The next record: outcomes before events, within a partition every offset from 0 on. Nothing
  // once the totals were read and agree, so that a file that was cut is an error.
  [[nodiscard]] Result<std::optional<LogLineRecord>> Next();

  [[nodiscard]] std::int64_t line() const noexcept { return line_; }
  // As LineSource's.
  [[nodiscard]] std::int64_t bytes_total() const noexcept { return source_.bytes_total(); }
  [[nodiscard]] std::int64_t bytes_read() const noexcept { return source_.bytes_read(); }

 private:
  LogFileReader(std::string path, LineSource source)
      : path_(std::move(path)), source_(std::move(source)) {}
  Result<std::optional<LogLine>> NextLine();
  Status ReadHeader();
  Status Count(const LogLineRecord& record);
  Status CheckEnd(AllEnds totals);
  [[nodiscard]] std::unexpected<Error> Bad(std::string_view why) const;

  std::string path_;
  LineSource source_;
  LogHeader header_;
  std::int64_t line_ = 0;
  AllEnds read_;
};

}  // namespace fanfold::operations
