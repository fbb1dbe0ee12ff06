#include "common/ports/profile_kind.h"

#include <fmt/format.h>
#include <string>

#include "common/base/fnv1a.h"

namespace fanfold {
namespace {

void ReadProfiles(std::span<const LogRecord> records, std::int32_t partitions, SaidRecords& said) {
  for (const LogRecord& record : records) {
    const auto event = ReadProfileRecord(record.key, record.value, record.partition, partitions);
    if (!event) {
      said.emplace_back();
      continue;
    }
    const Version version(Next(record.offset).value);
    said.push_back(SaidRecord{.event = record.offset,
                              .moves = true,
                              .key = {event->user, UserId(0)},
                              .state = StateOf(Apply({}, *event, version))});
  }
}

std::string DescribeProfile(const RowState& state) {
  return fmt::format("version {}, document {:016x}", state.version.value, state.content);
}

DifferenceKind CompareProfiles(const RowState& found, const RowState& expected) {
  return found.content != expected.content ? kWrongDocument : DifferenceKind::kWrongVersion;
}

}  // namespace

RowState StateOf(const ProfileRow& row) {
  if (row.version == Version(0)) return {};
  std::string document(row.deleted ? "deleted" : "");
  if (row.profile) AppendProfile(document, *row.profile);
  return {row.version, Fnv1a(document)};
}

constexpr RowKind kProfileRows{.read = ReadProfiles,
                               .describe = DescribeProfile,
                               .compare = CompareProfiles,
                               .is_counted = [](const RowState&) { return false; },
                               .one_a_user = true};

}  // namespace fanfold
