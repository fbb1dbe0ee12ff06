// Folders and files beside SQLite's own, their names on the disk.
#pragma once

#include <string>

#include "common/sql/failure.h"

namespace fanfold::sqlite {

// The failure of a system call about `path`, from errno.
[[nodiscard]] Failure SystemFailure(const std::string& path);

// Makes the folder, which its owner alone can open, and those it stands in, where they are missing.
// Throws Failure.
void MakeFolder(const std::string& folder);

// Puts the name of this file on the disk. Throws Failure.
void SyncFolderOf(const std::string& file);

}  // namespace fanfold::sqlite
