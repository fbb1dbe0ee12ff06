#include "common/mysql/lane_writings.h"

namespace fanfold::mysql {

std::set<std::uint64_t> HoldersOf(const WritingLooks& looks) {
  std::set<std::uint64_t> holders;
  for (const Writing& writing : looks.seen_again) {
    const bool is_open = looks.seen.contains(writing) && !looks.committed.contains(writing) &&
                         !looks.committed_again.contains(writing);
    if (is_open) holders.insert(writing.second);
  }
  return holders;
}

}  // namespace fanfold::mysql
