#include "common/relation/event.h"

#include "common/base/enum_names.h"

namespace fanfold {
namespace {

constexpr Names<EventType, 2> kEventTypes = {
    {{EventType::kFollow, "follow"}, {EventType::kUnfollow, "unfollow"}}};

constexpr Names<AskedBy, 2> kAskedBys = {
    {{AskedBy::kSubject, "subject"}, {AskedBy::kObject, "object"}}};

constexpr Names<OutcomeKind, 5> kOutcomeKinds = {{{OutcomeKind::kFollowed, "followed"},
                                                  {OutcomeKind::kUnfollowed, "unfollowed"},
                                                  {OutcomeKind::kUnchanged, "unchanged"},
                                                  {OutcomeKind::kRejected, "rejected"},
                                                  {OutcomeKind::kParked, "parked"}}};

constexpr Names<RejectReason, 4> kRejectReasons = {{{RejectReason::kSelfFollow, "self_follow"},
                                                    {RejectReason::kFollowLimit, "follow_limit"},
                                                    {RejectReason::kSuperseded, "superseded"},
                                                    {RejectReason::kUserDeleted, "user_deleted"}}};

}  // namespace

std::string_view ToString(EventType type) noexcept { return NameOf(kEventTypes, type); }
std::string_view ToString(AskedBy by) noexcept { return NameOf(kAskedBys, by); }
std::string_view ToString(OutcomeKind kind) noexcept { return NameOf(kOutcomeKinds, kind); }
std::string_view ToString(RejectReason reason) noexcept { return NameOf(kRejectReasons, reason); }

std::optional<EventType> ParseEventType(std::string_view text) noexcept {
  return ValueOf(kEventTypes, text);
}
std::optional<AskedBy> ParseAskedBy(std::string_view text) noexcept {
  return ValueOf(kAskedBys, text);
}
std::optional<OutcomeKind> ParseOutcomeKind(std::string_view text) noexcept {
  return ValueOf(kOutcomeKinds, text);
}
std::optional<RejectReason> ParseRejectReason(std::string_view text) noexcept {
  return ValueOf(kRejectReasons, text);
}

}  // namespace fanfold
