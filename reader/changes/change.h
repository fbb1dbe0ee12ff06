// Turns records of topics into the changes that followers are told. Pure.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/registry.h"
#include "common/ports/event_log.h"
#include "common/stream/ids.h"
#include "common/stream/parking.h"
#include "common/stream/position.h"

namespace fanfold::reader {

struct ChangeTypeEntry {
  std::string_view name;
  bool to_all = true;  // else to those alone who ask for it by name
};
inline constexpr std::array kChangeTypes = {
    ChangeTypeEntry{"followed"},        ChangeTypeEntry{"unfollowed"},
    ChangeTypeEntry{"profile_changed"}, ChangeTypeEntry{"user_deleted"},
    ChangeTypeEntry{"posted"},          ChangeTypeEntry{"post_deleted"},
    ChangeTypeEntry{"rejected", false},
};
class ChangeType : public Registered<ChangeType, kChangeTypes> {
 public:
  [[nodiscard]] constexpr bool to_all() const noexcept { return entry().to_all; }
};
using ChangeTypes = std::bitset<kChangeTypes.size()>;

// The types that a follower who names none is told.
[[nodiscard]] inline ChangeTypes TypesToAll() {
  ChangeTypes types;
  for (const ChangeType type : ChangeType::All()) types.set(type.index(), type.to_all());
  return types;
}

namespace change_types {
inline constexpr ChangeType kFollowed = ChangeType::Find("followed").value();
}  // namespace change_types

struct Change {
  StreamPosition event;
  ChangeType type;
  UserId user;                  // the subject, the author, whose profile it is
  UserId other;                 // the object; 0: there is none
  std::string members;          // of its JSON, behind the position: `,"subject":"1",…`
  bool became_friends = false;  // a hint

  [[nodiscard]] bool IsOf(UserId who) const noexcept { return user == who || other == who; }
  // {"position":…}
  [[nodiscard]] std::string Json() const;
};
using ChangePtr = std::shared_ptr<const Change>;

// The changes that a follower wants.
struct ChangeFilter {
  std::optional<UserId> user;
  ChangeTypes types = TypesToAll();

  [[nodiscard]] bool Wants(const Change& change) const noexcept {
    return types[change.type.index()] && (!user || change.IsOf(*user));
  }
};

// A record of the topic that is applied: the event it is about, and what it changed, or that it was
// rejected.
struct ReadChange {
  Position position;
  std::optional<Change> change;  // nothing: nothing that is told
};

// Requires: one of kChangeStreams. A user's event that cannot be read changes nothing: its lane
// parks it. Errors: an outcome that cannot be read.
[[nodiscard]] std::expected<ReadChange, Unreadable> ReadRecord(Stream stream,
                                                               const LogRecord& record,
                                                               std::int32_t partitions);

}  // namespace fanfold::reader
