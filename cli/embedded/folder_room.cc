#include "cli/embedded/folder_room.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace fanfold::embedded {

std::optional<std::int64_t> FreeBytes(const std::string& folder) {
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder, unknown);
  if (unknown) return std::nullopt;
  return static_cast<std::int64_t>(space.available);
}

FolderRoom::FolderRoom(std::string folder, Metrics& metrics)
    : folder_(std::move(folder)),
      free_bytes_(metrics.GetGauge("fanfold_folder_free_bytes",
                                   "Bytes left on the disk of the folder that is served")) {
  Show();
}

void FolderRoom::Show() {
  if (const auto bytes = FreeBytes(folder_)) free_bytes_.Set(static_cast<double>(*bytes));
}

}  // namespace fanfold::embedded
