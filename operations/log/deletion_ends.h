// Account deletions of a log in a file, whose ends may reach beyond it: releases up to 2026-11
// asked where posts and feed state end before they asked for users' events.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "operations/lanes/lanes.h"
#include "operations/log/log_line.h"

namespace fanfold::operations {

// For a file into as many partitions. Thread-compatible; pure but for what it was told.
class DeletionEnds {
 public:
  // Each record of the file, in its order.
  void Note(const LogLineRecord& record);

  // Replaces a deletion that names more of a topic than the file has: its ends become the file's.
  // Else nothing. Covers topics that a file has before users' events (export_log writes them
  // against the registry); records of later topics were asked for later than these.
  [[nodiscard]] std::optional<std::string> Within(const LogLineRecord& record);

  // How many deletions reached beyond.
  [[nodiscard]] std::size_t cut() const noexcept { return cut_; }

 private:
  AllEnds read_;
  std::size_t cut_ = 0;
};

}  // namespace fanfold::operations
