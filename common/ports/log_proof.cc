#include "common/ports/log_proof.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/ports/deployment_check.h"
#include "common/ports/halt_reason.h"

namespace fanfold {
namespace {

std::string_view WhatIsWrong(MarkStanding standing) noexcept {
  switch (standing) {
    case MarkStanding::kSame:
      return "";
    case MarkStanding::kOther:
      return "another record stands there (log_mismatch)";
    case MarkStanding::kCut:
      return "the topic ends below it (log_truncated)";
    case MarkStanding::kGone:
      return "the topic begins above it (retention_gap)";
  }
  return "";
}

Status HasYetToLearn(const LaneId& lane, Topic topic) {
  return Fail(ErrorCode::kUnavailable,
              fmt::format("{} has yet to learn its last record of {}: its projector has to run",
                          Describe(lane), topic.name()));
}

// A reason that this build does not know may be.
bool MayBeOfTheLog(std::string_view halt_reason) noexcept {
  const std::optional<HaltReason> reason = HaltReason::Find(halt_reason);
  return !reason || reason->is_of_the_log();
}

}  // namespace

std::vector<LaneStatus> WitnessesOf(std::span<const LaneStatus> lanes, Stream stream,
                                    const ReadGenerations& read) {
  std::vector<LaneStatus> witnesses;
  std::ranges::copy_if(lanes, std::back_inserter(witnesses), [&](const LaneStatus& status) {
    const LaneId& lane = status.lane;
    const bool asked = status.deciding || lane.generation == read[lane.projection];
    return asked && lane.stream == stream;
  });
  return witnesses;
}

LanesByShard AskLanes(OpenReader open) {
  return [open = std::move(open)](Shard shard) -> Result<std::vector<LaneStatus>> {
    const Result<std::unique_ptr<ProjectionReader>> reader = open(shard);
    if (!reader) return std::unexpected(reader.error());
    return (*reader)->Lanes();
  };
}

Status LogProof::Check(std::span<const LaneStatus> lanes, Asks asks) {
  std::map<Topic, std::map<Partition, Known>> known;  // the furthest of each
  Status unlearned;
  for (const LaneStatus& status : lanes) {
    const LaneId& lane = status.lane;
    if (asks == Asks::kAll && status.state == LaneState::kHalted &&
        MayBeOfTheLog(status.state_reason)) {
      return Fail(ErrorCode::kRefused,
                  fmt::format("{} is halted ({}): nobody acts on this log until it runs again",
                              Describe(lane), status.state_reason));
    }
    for (const Topic topic : {lane.stream.events(), lane.stream.applied()}) {
      const std::optional<RecordMark> mark = MarkOf(status.progress, status.deciding, topic);
      if (!mark) continue;
      if (mark->digest == 0) {
        unlearned = HasYetToLearn(lane, topic);
        continue;
      }
      const auto [at, is_new] = known[topic].try_emplace(lane.partition, Known{*mark, lane});
      if (!is_new && at->second.mark.offset < mark->offset) at->second = {*mark, lane};
    }
  }
  for (const auto& [topic, of_topic] : known) {
    if (Status same = CheckTopic(topic, of_topic, asks); !same) return same;
  }
  return asks == Asks::kAll || known.empty() ? unlearned : Status();
}

Status LogProof::CheckStream(Stream stream, const ReadGenerations& read, std::int32_t shards,
                             const LanesByShard& lanes_of, Asks asks) {
  std::vector<LaneStatus> witnesses;
  for (std::int32_t s = 0; s < shards; ++s) {
    const Result<std::vector<LaneStatus>> lanes = lanes_of(Shard(s));
    if (!lanes) return OfShard(Shard(s), lanes.error());
    std::ranges::copy(WitnessesOf(*lanes, stream, read), std::back_inserter(witnesses));
  }
  return Check(witnesses, asks);
}

Status LogProof::CheckTopic(Topic topic, const std::map<Partition, Known>& known, Asks asks) {
  std::vector<Partition> partitions;
  for (const auto& [partition, of] : known) partitions.push_back(partition);
  const std::vector<Result<LogBounds>> held = log_.BoundsOf(topic, partitions);
  std::vector<MarkAsked> asked;
  for (const auto& [partition, of] : known) {
    const Result<LogBounds>& bounds = held[asked.size()];
    if (!bounds) return std::unexpected(bounds.error());
    asked.push_back({partition, of.mark, *bounds});
  }
  const std::vector<Result<MarkFound>> found = marks_.Look(topic, asked);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!found[i]) return std::unexpected(found[i].error());
    const MarkStanding standing = found[i]->standing;
    const bool passes = asks == Asks::kMarksAlone && standing == MarkStanding::kGone;
    if (standing == MarkStanding::kSame || passes) continue;
    const Known& of = known.at(asked[i].partition);
    return Fail(ErrorCode::kRefused,
                fmt::format("{}/{} is not the log that {} was folded from: it has taken the record "
                            "at {}, and {}",
                            topic.name(), asked[i].partition.value, Describe(of.lane),
                            of.mark.offset.value, WhatIsWrong(standing)));
  }
  return {};
}

}  // namespace fanfold
