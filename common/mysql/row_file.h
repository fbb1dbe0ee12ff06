// Rows as a file that LOAD DATA LOCAL sends: a quarter less of the server's time than statements.
#pragma once

#include <span>
#include <string>

#include "common/ports/edge_store.h"

namespace fanfold::mysql {

// In memory, for as long as the object lives. Throws Failure.
class RowFile {
 public:
  explicit RowFile(std::span<const EdgeRow> rows);
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  // The file's path, of this process alone.
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_;
};

}  // namespace fanfold::mysql
