#include "common/ports/inbox_store.h"

namespace fanfold {

std::string InboxStandOf(Generation inboxes, const ReadGenerations& read) {
  std::string stand = std::to_string(inboxes.value);
  for (const std::string_view name : {"following", "fans", "posts"}) {
    stand += '/' + std::to_string(read[*Projection::Find(name)].value);
  }
  return stand;
}

}  // namespace fanfold
