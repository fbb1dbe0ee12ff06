// The files in an embedded deployment's folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/base/deployment_id.h"
#include "common/base/result.h"
#include "common/sqlite/folder_lock.h"
#include "common/sqlite/sqlite_event_log.h"
#include "common/sqlite/sqlite_store.h"

namespace fanfold::embedded {

// The folder is this process's alone while they live.
struct FolderFiles {
  FolderLock lock;
  std::unique_ptr<SystemClock> clock;  // outlives log and tables
  std::unique_ptr<SqliteEventLog> log;
  std::int32_t partitions = 0;
  std::shared_ptr<SqliteTables> tables;
  bool is_new = false;  // there was no log
};

// Makes folder, log and tables where they are missing. Errors: kRefused, another process has the
// folder (the message names both), it is not one of this build's, its tables are not `own`'s, where
// that is told, or the log lacks what the tables have folded; kUnavailable.
[[nodiscard]] Result<FolderFiles> OpenFolderFiles(const std::string& folder,
                                                  const std::optional<DeploymentId>& own);

}  // namespace fanfold::embedded
