#include "reader/changes/change_listener.h"

#include <variant>

namespace fanfold::reader {

void Listener::PlaceIn(const ChangeWindow& window) {
  ChangePlace at = window.at();
  if (std::holds_alternative<FromTheFirst>(asked.start)) at = ChangePlace(at.partitions());
  if (const auto* id = std::get_if<ChangeId>(&asked.start)) at = id->place;
  if (const auto* behind = std::get_if<FromBehind>(&asked.start)) {
    for (const StreamPosition& event : *behind) at.Pass(event, 0);
  }
  in_step = std::holds_alternative<FromNow>(asked.start);
  window.Teach(at);
  number = window.FirstBehind(at);
  place = std::make_shared<const ChangePlace>(std::move(at));
}

// Without a proof it is enough that the log has come so far, and holds what comes next.
Claim Listener::JudgedBy(const ChangeWindow& window) const {
  const auto* id = std::get_if<ChangeId>(&asked.start);
  Claim claim{Claim::Says::kOpen, {*place, id == nullptr ? std::nullopt : id->proof}};
  if (!window.at().Reaches(*place)) return claim;
  const std::optional<std::uint64_t>& brought = claim.id.proof;
  const std::optional<std::uint64_t> held = place->Proof();
  const bool is_open = brought ? !held : !place->Reaches(window.floor());
  if (is_open) return claim;
  claim.says = !brought || brought == held ? Claim::Says::kHolds : Claim::Says::kFails;
  return claim;
}

}  // namespace fanfold::reader
