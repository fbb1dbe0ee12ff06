#include "common/ports/post_kind.h"

#include <fmt/format.h>
#include <string>

#include "common/base/fnv1a.h"

namespace fanfold {
namespace {

void ReadPosts(std::span<const LogRecord> records, std::int32_t /*partitions*/, SaidRecords& said) {
  for (const LogRecord& record : records) {
    const auto outcome = ReadPostOutcomeRecord(record.value, record.partition, kWholeOutcome);
    if (!outcome) {
      said.emplace_back();
      continue;
    }
    SaidRecord& one = said.emplace_back(SaidRecord{}).value();
    one.event = outcome->position.offset;
    if (!MovesPost(*outcome)) continue;
    one.moves = true;
    one.key = {outcome->author, UserId(outcome->post_id.value)};
    one.state = StateOf(Apply({}, *outcome));
  }
}

std::string DescribePost(const RowState& state) {
  return fmt::format("version {}, {} {:016x}", state.version.value,
                     IsActivePost(state) ? "post" : "deleted post", state.content);
}

DifferenceKind ComparePosts(const RowState& found, const RowState& expected) {
  return found.content != expected.content ? kWrongPost : DifferenceKind::kWrongVersion;
}

}  // namespace

RowState StateOf(const PostRow& row) {
  if (row.version == Version(0)) return {};
  const std::string head = fmt::format("{} {} ", row.post_type, row.score);
  const std::uint64_t digest = Fnv1a(row.content, Fnv1a(head));
  return {row.version, (digest << 1U) | std::uint64_t{row.active}};
}

constexpr RowKind kPostRows{.read = ReadPosts,
                            .describe = DescribePost,
                            .compare = ComparePosts,
                            .is_counted = [](const RowState&) { return false; }};

}  // namespace fanfold
