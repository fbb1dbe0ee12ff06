#include "common/relation/event.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fanfold {
namespace {

template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Names<EventType, 2> kEventTypes = {
    {{EventType::kFollow, "follow"}, {EventType::kUnfollow, "unfollow"}}};

constexpr Names<AskedBy, 2> kAskedBys = {
    {{AskedBy::kSubject, "subject"}, {AskedBy::kObject, "object"}}};

constexpr Names<OutcomeKind, 5> kOutcomeKinds = {{{OutcomeKind::kFollowed, "followed"},
                                                  {OutcomeKind::kUnfollowed, "unfollowed"},
                                                  {OutcomeKind::kUnchanged, "unchanged"},
                                                  {OutcomeKind::kRejected, "rejected"},
                                                  {OutcomeKind::kParked, "parked"}}};

constexpr Names<RejectReason, 3> kRejectReasons = {{{RejectReason::kSelfFollow, "self_follow"},
                                                    {RejectReason::kFollowLimit, "follow_limit"},
                                                    {RejectReason::kSuperseded, "superseded"}}};

constexpr Names<ParkReason, 10> kParkReasons = {
    {{ParkReason::kMalformed, "malformed"},
     {ParkReason::kFutureVersion, "future_version"},
     {ParkReason::kUnknownType, "unknown_type"},
     {ParkReason::kMissingField, "missing_field"},
     {ParkReason::kInvalidField, "invalid_field"},
     {ParkReason::kInvalidId, "invalid_id"},
     {ParkReason::kTooLarge, "too_large"},
     {ParkReason::kKeyMismatch, "key_mismatch"},
     {ParkReason::kWrongPartition, "wrong_partition"},
     {ParkReason::kUnreadableOutcome, "unreadable_outcome"}}};

template <class Enum, std::size_t N>
std::string_view NameOf(const Names<Enum, N>& names, Enum value) noexcept {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  return "unknown";
}

template <class Enum, std::size_t N>
std::optional<Enum> ValueOf(const Names<Enum, N>& names, std::string_view text) noexcept {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace

bool IsEventId(std::string_view text) noexcept {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= 0x21 && c <= 0x7e && c != '"' && c != '\\'; });
  return plain && !text.empty() && text.size() <= kEventIdBytesMax;
}

std::string_view ToString(EventType type) noexcept { return NameOf(kEventTypes, type); }
std::string_view ToString(AskedBy by) noexcept { return NameOf(kAskedBys, by); }
std::string_view ToString(OutcomeKind kind) noexcept { return NameOf(kOutcomeKinds, kind); }
std::string_view ToString(RejectReason reason) noexcept { return NameOf(kRejectReasons, reason); }
std::string_view ToString(ParkReason reason) noexcept { return NameOf(kParkReasons, reason); }

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
std::optional<ParkReason> ParseParkReason(std::string_view text) noexcept {
  return ValueOf(kParkReasons, text);
}

}  // namespace fanfold
