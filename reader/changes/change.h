// What followers of changes are told of the records of topics. Pure.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/registry.h"
#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/stream/ids.h"
#include "common/stream/position.h"

namespace fanfold::reader {

struct ChangeTypeEntry {
  std::string_view name;
};
inline constexpr std::array kChangeTypes = {
    ChangeTypeEntry{"followed"},        ChangeTypeEntry{"unfollowed"},
    ChangeTypeEntry{"profile_changed"}, ChangeTypeEntry{"user_deleted"},
    ChangeTypeEntry{"posted"},          ChangeTypeEntry{"post_deleted"},
};
class ChangeType : public Registered<ChangeType, kChangeTypes> {};
using ChangeTypes = std::bitset<kChangeTypes.size()>;

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

// Which changes a follower wants.
struct ChangeFilter {
  std::optional<UserId> user;
  ChangeTypes types = ChangeTypes().set();

  [[nodiscard]] bool Wants(const Change& change) const noexcept {
    return types[change.type.index()] && (!user || change.IsOf(*user));
  }
};

// A record of the topic that is applied: the event it is about, and what it changed.
struct ReadChange {
  Offset event;
  std::optional<Change> change;  // nothing: nothing that is told
};

// Nothing for a repeat, and for an outcome that cannot be read: `next` is the event that comes next
// in its partition. Requires: one of kChangeStreams. Errors: kOutOfRange, a gap.
[[nodiscard]] Result<std::optional<ReadChange>> ReadRecord(Stream stream, const LogRecord& record,
                                                           Offset next, std::int32_t partitions);

}  // namespace fanfold::reader
