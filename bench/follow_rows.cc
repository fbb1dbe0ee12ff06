#include "bench/follow_rows.h"

#include <cinttypes>
#include <cstdio>

namespace fanfold::bench {

std::vector<FollowRow> ReadFollowing(const char* path) {
  std::vector<FollowRow> rows;
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) return rows;
  FollowRow row{};
  while (std::fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNd64, &row.user, &row.other,
                     &row.since_ms) == 3) {
    row.version = static_cast<std::int64_t>(rows.size()) + 1;
    rows.push_back(row);
  }
  std::fclose(file);
  return rows;
}

}  // namespace fanfold::bench
