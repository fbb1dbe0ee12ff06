// The room on the disk of an embedded deployment's folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/metrics.h"

namespace fanfold::embedded {

// Bytes that this process may still write there; nothing where the system does not tell.
[[nodiscard]] std::optional<std::int64_t> FreeBytes(const std::string& folder);

// fanfold_folder_free_bytes, from the beginning on. Thread-compatible.
class FolderRoom {
 public:
  // `metrics` outlives it.
  FolderRoom(std::string folder, Metrics& metrics);

  // Looks anew; what cannot be read stays as it was.
  void Show();

 private:
  const std::string folder_;
  Gauge& free_bytes_;
};

}  // namespace fanfold::embedded
