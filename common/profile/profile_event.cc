#include "common/profile/profile_event.h"

#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "common/stream/record_fields.h"

namespace fanfold {
namespace {

constexpr std::string_view kProfileSet = "profile_set";
constexpr std::string_view kUserDeleted = "user_deleted";
constexpr std::string_view kUserRestored = "user_restored";

using Read = std::expected<ProfileEvent, Unreadable>;

// Appends what an event of each type holds beside its head.
struct Appending {
  std::string& out;

  void operator()(const ProfileSet& set) const {
    out += R"(,"profile":)";
    AppendProfile(out, set.profile);
  }

  void operator()(const UserDeleted& deleted) const {
    out += R"(,"ends":)";
    AppendStreamEnds(out, deleted.ends);
    if (deleted.stays) out += R"(,"stays":true)";
  }

  void operator()(const UserRestored&) const {}
};

struct TypeOf {
  std::string_view operator()(const ProfileSet&) const { return kProfileSet; }
  std::string_view operator()(const UserDeleted&) const { return kUserDeleted; }
  std::string_view operator()(const UserRestored&) const { return kUserRestored; }
};

ProfileSet ReadProfileSet(RecordFields& fields) {
  ProfileSet set;
  fields.NeedObject("profile");
  for (const ProfileText& text : kProfileTexts) {
    set.profile.*text.text =
        fields.TextOrNull(fmt::format("profile/{}", text.name), text.bytes_max);
  }
  set.profile.verified = fields.Flag("profile/verified");
  return set;
}

Read ReadEvent(RecordFields& fields) {
  ProfileEvent event;
  event.event_id = fields.EventId();
  const std::string type = fields.Text("type");
  if (!fields.ok()) return fields.Wrong();
  event.user = fields.User("user");
  event.at_ms = fields.Number("at");
  if (type == kProfileSet) {
    event.what = ReadProfileSet(fields);
  } else if (type == kUserDeleted) {
    UserDeleted deleted{ReadStreamEnds(fields)};
    if (fields.Has("stays")) deleted.stays = fields.Flag("stays");
    event.what = std::move(deleted);
  } else if (type == kUserRestored) {
    event.what = UserRestored();
  } else {
    return CannotRead(ParkReason::kUnknownType,
                      "type is not profile_set, user_deleted or user_restored",
                      std::move(event.event_id));
  }
  if (!fields.ok()) return fields.Wrong();
  return event;
}

// Are the ends those of as many partitions as there are?
std::expected<void, Unreadable> CheckEnds(const ProfileEvent& event, std::int32_t partitions) {
  const auto* deleted = std::get_if<UserDeleted>(&event.what);
  if (deleted == nullptr) return {};
  for (const Stream stream : Stream::All()) {
    const std::size_t told = deleted->ends[stream].size();
    if (told == 0 || std::cmp_equal(told, partitions)) continue;
    return CannotRead(ParkReason::kInvalidField, fmt::format("ends of {} has {} partitions of {}",
                                                             stream.name(), told, partitions));
  }
  return {};
}

}  // namespace

void AppendProfileEvent(std::string& out, const ProfileEvent& event) {
  auto to = std::back_inserter(out);
  out += R"({"v":1,)";
  if (!event.event_id.empty()) fmt::format_to(to, R"("event_id":"{}",)", event.event_id);
  fmt::format_to(to, R"("type":"{}","user":"{}","at":{})", std::visit(TypeOf(), event.what),
                 event.user.value, event.at_ms);
  std::visit(Appending{out}, event.what);
  out += '}';
}

std::string EncodeProfileEvent(const ProfileEvent& event) {
  std::string out;
  AppendProfileEvent(out, event);
  return out;
}

Read DecodeProfileEvent(std::string_view value) {
  auto fields = RecordFields::Parse(value, kProfileCodecVersion);
  if (!fields) return std::unexpected(std::move(fields.error()));
  return ReadEvent(*fields);
}

Read ReadProfileRecord(std::optional<std::string_view> key, std::optional<std::string_view> value,
                       Partition partition, std::int32_t partitions) {
  const auto there = ValueToDecode(key, value);
  if (!there) return std::unexpected(there.error());
  Read event = DecodeProfileEvent(*there);
  if (!event) return event;
  auto fits = CheckPlace("user", event->user, key, partition, partitions);
  if (fits) fits = CheckEnds(*event, partitions);
  if (fits) return event;
  fits.error().event_id = std::move(event->event_id);
  return std::unexpected(std::move(fits.error()));
}

}  // namespace fanfold
