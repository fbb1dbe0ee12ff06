// Random events and ids for rapidcheck.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

#include "common/relation/event.h"
#include "common/stream/slot.h"
#include "tests/unit/relation/printing.h"

namespace fanfold::random {

inline constexpr std::uint64_t kFewUsers = 5;

// Users so few, times so close and versions so low that events meet.
inline rc::Gen<Event> FewUsersEvent() {
  return rc::gen::exec([] {
    Event event;
    event.event_id = "e" + std::to_string(*rc::gen::inRange(0, 1'000'000));
    event.type =
        *rc::gen::weightedElement<EventType>({{3, EventType::kFollow}, {2, EventType::kUnfollow}});
    event.subject = UserId(*rc::gen::inRange<std::uint64_t>(1, kFewUsers + 1));
    event.object = UserId(*rc::gen::inRange<std::uint64_t>(1, kFewUsers + 1));
    event.at_ms = *rc::gen::inRange(0, 50);
    event.by = *rc::gen::element(AskedBy::kSubject, AskedBy::kObject);
    if (*rc::gen::inRange(0, 4) == 0) event.if_version = Version(*rc::gen::inRange(0, 40));
    return event;
  });
}

inline rc::Gen<std::vector<Event>> FewUsersEvents() {
  return rc::gen::container<std::vector<Event>>(FewUsersEvent());
}

// 0 … max, the ends more often than their share.
inline rc::Gen<std::uint64_t> UpTo(std::uint64_t max) {
  return rc::gen::oneOf(rc::gen::element<std::uint64_t>(0, 1, max - 1, max),
                        rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                                     [max](std::uint64_t n) { return n % max; }));
}

inline UserId AnyUser() { return UserId(std::max<std::uint64_t>(1, *UpTo(kUserIdMax))); }

inline std::int64_t AnyTime() { return static_cast<std::int64_t>(*UpTo(kUserIdMax)); }

inline Position AnyPosition() {
  return {Partition(*rc::gen::inRange(0, kSlots)),
          Offset(static_cast<std::int64_t>(*UpTo(kUserIdMax - 1)))};
}

// Empty, or 1 … 64 of the characters an id may have.
inline std::string AnyEventId() {
  const auto plain = rc::gen::suchThat(rc::gen::inRange<char>('!', '~' + 1),
                                       [](char c) { return c != '"' && c != '\\'; });
  auto text = *rc::gen::container<std::string>(plain);
  if (text.size() > 64) text.resize(64);
  return text;
}

// Every shape of event that can be written.
inline rc::Gen<Event> AnyEvent() {
  return rc::gen::exec([] {
    Event event;
    event.event_id = AnyEventId();
    event.type = *rc::gen::element(EventType::kFollow, EventType::kUnfollow);
    event.subject = AnyUser();
    event.object = AnyUser();
    event.at_ms = AnyTime();
    event.by = *rc::gen::element(AskedBy::kSubject, AskedBy::kObject);
    if (*rc::gen::arbitrary<bool>()) event.if_version = Version(AnyTime());
    if (*rc::gen::arbitrary<bool>()) event.replay_of = AnyPosition();
    return event;
  });
}

// Every shape of outcome that can be written.
inline rc::Gen<Outcome> AnyOutcome() {
  return rc::gen::exec([] {
    Outcome outcome;
    outcome.kind = static_cast<OutcomeKind>(*rc::gen::inRange(1, 6));
    outcome.position = AnyPosition();
    outcome.event_id = AnyEventId();
    if (outcome.kind == OutcomeKind::kParked) {
      outcome.parked = static_cast<ParkReason>(*rc::gen::inRange(1, 11));
      return outcome;
    }
    outcome.subject = AnyUser();
    outcome.object = AnyUser();
    outcome.at_ms = AnyTime();
    if (outcome.kind == OutcomeKind::kRejected) {
      outcome.rejected = static_cast<RejectReason>(*rc::gen::inRange(1, 4));
    } else {
      outcome.since_ms = AnyTime();
    }
    return outcome;
  });
}

// A random order of the same elements.
template <class T>
std::vector<T> Shuffled(std::vector<T> elements) {
  for (std::size_t i = elements.size(); i > 1; --i) {
    std::swap(elements[i - 1], elements[*rc::gen::inRange<std::size_t>(0, i)]);
  }
  return elements;
}

}  // namespace fanfold::random
