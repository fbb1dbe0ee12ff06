// The streams there are, in one registry, and their topics.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "common/base/registry.h"

namespace fanfold {

// An event topic, with the outcome topic that its decider writes where it has one. A stream is
// named by its event topic; every topic has the deployment's P partitions, is kept for ever and
// never compacted.
struct StreamEntry {
  std::string_view name;
  std::string_view outcomes = {};  // "" where nothing is decided
};

inline constexpr std::array kStreams = {
    StreamEntry{.name = "relation-events", .outcomes = "relation-outcomes"},
    StreamEntry{.name = "user-events"},
    StreamEntry{.name = "post-events", .outcomes = "post-outcomes"},
    StreamEntry{.name = "feed-events"},
};

struct TopicEntry {
  std::string_view name;
  std::size_t stream = 0;
  bool of_outcomes = false;
};

// In the order of the streams, outcomes behind their events.
inline constexpr auto kTopics = [] {
  constexpr std::size_t kCount = [] {
    std::size_t count = kStreams.size();
    for (const StreamEntry& stream : kStreams) count += stream.outcomes.empty() ? 0 : 1;
    return count;
  }();
  std::array<TopicEntry, kCount> topics;
  std::size_t at = 0;
  for (std::size_t i = 0; i < kStreams.size(); ++i) {
    topics[at++] = {kStreams[i].name, i, false};
    if (!kStreams[i].outcomes.empty()) topics[at++] = {kStreams[i].outcomes, i, true};
  }
  return topics;
}();

class Stream;

class Topic : public Registered<Topic, kTopics> {
 public:
  [[nodiscard]] constexpr Stream stream() const noexcept;
  // A topic of decisions, not of events asked for.
  [[nodiscard]] constexpr bool of_outcomes() const noexcept { return entry().of_outcomes; }
};

template <class Value>
using PerTopic = PerEntry<Topic, Value>;

class Stream : public Registered<Stream, kStreams> {
 public:
  [[nodiscard]] constexpr Topic events() const noexcept { return *Topic::Find(name()); }
  // Nothing where nothing is decided.
  [[nodiscard]] constexpr std::optional<Topic> outcomes() const noexcept {
    return entry().outcomes.empty() ? std::nullopt : Topic::Find(entry().outcomes);
  }
  // The topic that appliers read: the outcomes, or the events where nothing is decided.
  [[nodiscard]] constexpr Topic applied() const noexcept { return outcomes().value_or(events()); }
};

constexpr Stream Topic::stream() const noexcept { return Stream::All()[entry().stream]; }

namespace streams {
inline constexpr Stream kRelations = Stream::Find("relation-events").value();
inline constexpr Stream kUsers = Stream::Find("user-events").value();
inline constexpr Stream kPosts = Stream::Find("post-events").value();
inline constexpr Stream kFeeds = Stream::Find("feed-events").value();
}  // namespace streams

namespace topics {
inline constexpr Topic kRelationEvents = streams::kRelations.events();
inline constexpr Topic kRelationOutcomes = streams::kRelations.outcomes().value();
inline constexpr Topic kUserEvents = streams::kUsers.events();
inline constexpr Topic kPostEvents = streams::kPosts.events();
inline constexpr Topic kPostOutcomes = streams::kPosts.outcomes().value();
inline constexpr Topic kFeedEvents = streams::kFeeds.events();
}  // namespace topics

}  // namespace fanfold
