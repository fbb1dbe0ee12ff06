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

Status HasYetToLearn(const LaneStatus& status, Topic topic, LogProof::Asks asks) {
  const bool runs = status.state == LaneState::kRunning;
  return Fail(
      asks == LogProof::Asks::kAll ? ErrorCode::kUnavailable : ErrorCode::kNotFound,
      fmt::format("{} has yet to learn its last record of {}: {}", Describe(status.lane),
                  topic.name(), runs ? "its projector has to run" : "it has to be resumed"));
}

// What disproves a log goes before what cannot be said now.
void Keep(Status& verdict, Status next) {
  const bool disproves = !next && next.error().code == ErrorCode::kRefused;
  if (verdict || (disproves && verdict.error().code != ErrorCode::kRefused)) {
    verdict = std::move(next);
  }
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
  KnownMarks known;
  std::vector<std::pair<LaneStatus, Topic>> unlearned;
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
        unlearned.emplace_back(status, topic);
        continue;
      }
      const auto [at, is_new] = known[topic].try_emplace(lane.partition, Known{*mark, lane});
      if (!is_new && at->second.mark.offset < mark->offset) at->second = {*mark, lane};
    }
  }
  Status verdict;
  for (const auto& [topic, of_topic] : known) Keep(verdict, CheckTopic(topic, of_topic, asks));
  for (const auto& [status, topic] : unlearned) {
    // A lane that stands learns nothing: another one's mark will do.
    const bool runs = status.state == LaneState::kRunning;
    const bool will_do = asks == Asks::kMarksAlone
                             ? !known.empty()
                             : !runs && known[topic].contains(status.lane.partition);
    if (!will_do) Keep(verdict, HasYetToLearn(status, topic, asks));
  }
  return verdict;
}

Status LogProof::CheckStream(Stream stream, const ReadGenerations& read, std::int32_t shards,
                             const LanesByShard& lanes_of, Asks asks) {
  std::vector<LaneStatus> witnesses;
  Status verdict;
  for (std::int32_t s = 0; s < shards; ++s) {
    const Result<std::vector<LaneStatus>> lanes = lanes_of(Shard(s));
    if (!lanes) Keep(verdict, OfShard(Shard(s), lanes.error()));
    if (lanes) std::ranges::copy(WitnessesOf(*lanes, stream, read), std::back_inserter(witnesses));
  }
  Keep(verdict, Check(witnesses, asks));
  return verdict;
}

Status LogProof::CheckTopic(Topic topic, const std::map<Partition, Known>& known, Asks asks) {
  std::vector<Partition> partitions;
  for (const auto& [partition, of] : known) partitions.push_back(partition);
  const std::vector<Result<LogBounds>> held = log_.BoundsOf(topic, partitions);
  Status verdict;
  std::vector<MarkAsked> asked;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (!held[i]) Keep(verdict, std::unexpected(held[i].error()));
    if (held[i]) asked.push_back({partitions[i], known.at(partitions[i]).mark, *held[i]});
  }
  const std::vector<Result<MarkFound>> found = marks_.Look(topic, asked);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!found[i]) {
      Keep(verdict, std::unexpected(found[i].error()));
      continue;
    }
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
  return verdict;
}

}  // namespace fanfold
