#include "common/access/remembered_tokens.h"

#include <utility>

namespace fanfold {

RememberedTokens::RememberedTokens(std::size_t bytes_max) : part_bytes_max_(bytes_max / kParts) {}

PrincipalPtr RememberedTokens::Find(std::string_view token, std::int64_t now_ms) {
  Part& part = PartOf(token);
  const std::scoped_lock lock(part.mutex);
  const auto found = part.tokens.find(token);
  if (found == part.tokens.end() || found->second->IsOver(now_ms)) return nullptr;
  return found->second;
}

void RememberedTokens::Add(std::string_view token, PrincipalPtr principal) {
  Part& part = PartOf(token);
  const std::scoped_lock lock(part.mutex);
  const auto [place, is_new] =
      part.tokens.insert_or_assign(std::string(token), std::move(principal));
  if (!is_new) return;
  part.order.push_back(&place->first);
  part.bytes += token.size() + kBytesBeside;
  while (part.bytes > part_bytes_max_ && part.order.size() > 1) {
    const std::string& oldest = *part.order.front();
    part.order.pop_front();
    part.bytes -= oldest.size() + kBytesBeside;
    part.tokens.erase(part.tokens.find(oldest));
  }
}

}  // namespace fanfold
