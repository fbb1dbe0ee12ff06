#include "common/ports/profile_kind.h"

#include <fmt/format.h>
#include <string>

#include "common/base/fnv1a.h"

namespace fanfold {
namespace {

// What is no digest of a document.
constexpr std::uint64_t kStates = 4;

AccountPhase AccountIn(const RowState& state) {
  return state.content < kStates ? static_cast<AccountPhase>(state.content) : AccountPhase::kTold;
}

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
                              .state = StateOf(RowSaidBy(*event, version))});
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
  if (!row.profile) return {row.version, static_cast<std::uint64_t>(AccountOf(row))};
  std::string document;
  AppendProfile(document, *row.profile);
  const std::uint64_t digest = Fnv1a(document);
  return {row.version, digest < kStates ? digest + kStates : digest};
}

constexpr RowKind kProfileRows{
    .read = ReadProfiles,
    .describe = DescribeProfile,
    .compare = CompareProfiles,
    .is_counted = [](const RowState&) { return false; },
    .moves = [](const RowState& before,
                const RowState& says) { return Moves(AccountIn(before), AccountIn(says)); },
    .one_a_user = true};

}  // namespace fanfold
