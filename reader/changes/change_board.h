// Who follows changes, and what each is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/access/principal.h"
#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/http/body_source.h"
#include "reader/changes/change_window.h"

namespace fanfold::reader {

// Where a follower begins.
struct FromNow {};
struct FromTheFirst {};
using FromBehind = std::vector<StreamPosition>;  // each passed; of other partitions from now
using ChangeStart = std::variant<FromNow, FromTheFirst, FromBehind, ChangeId>;

struct ListenerAsked {
  ChangeFilter filter;
  ChangeStart start;
  PrincipalPtr who;  // null: nobody is asked for a token
};

// Whether a place is of this log.
struct Claim {
  enum class Says : std::uint8_t { kHolds, kFails, kOpen };  // kOpen: the log has to be asked
  Says says;
  ChangeId id;
};

// One who follows changes. Between two parts it stands at a place of its own; while one is owed
// and there is nothing to tell, at the board's.
class Listener;
using ListenerPtr = std::shared_ptr<Listener>;

// Tells those who wait at once. A listener who does not read is not waited for, and reads on in the
// window, or in the log, where the window has gone on. Thread-safe; nothing blocks.
class ChangeBoard {
 public:
  // Less than connections of a port: whoever asks for more is told, and others get in.
  static constexpr std::size_t kListenersMax = 11'000;
  static constexpr std::size_t kWindowBytesMax = std::size_t{32} << 20;
  // Bytes of a part for those who wait, made once for all of them; at most one change more.
  static constexpr std::size_t kPublishedBytesMax = std::size_t{16} << 10;
  static constexpr std::size_t kPartBytesMax = std::size_t{64} << 10;  // a change more at the most
  // Events that one who asks has looked at; behind them a part says how far he has come.
  static constexpr std::uint64_t kLookedAtMax = 1'024;
  // After so long without a part one says where the listener stands.
  static constexpr std::int64_t kCheckpointMs = 15'000;

  // Both outlive it.
  ChangeBoard(std::int32_t partitions, const Clock& clock, Metrics& metrics);

  // ---- whoever reads the topics ----
  // All is known up to `at`, nothing before.
  void Start(const ChangePlace& at);
  // The place is lost: everybody is told, and comes back later.
  void Lose();
  // Does anybody follow it?
  [[nodiscard]] std::vector<bool> AreFollowed(std::span<const ToldEvent> told);
  // In the order of their partitions, each the next.
  void Publish(std::span<const ToldEvent> told);
  // Tells of long silence, and ends what was granted by tokens that are over. Called once a second.
  void Sweep();
  // Everybody is told that there is no more.
  void Retire();

  // ---- whoever follows ----
  // Null: there are too many, or there is no more. Left once.
  [[nodiscard]] ListenerPtr Join(ListenerAsked asked);
  void Leave(const ListenerPtr& listener);
  // Is what they have brought back of this log? Nothing: there is no window, or no more.
  [[nodiscard]] std::optional<Claim> Judge(const ListenerPtr& listener);
  // The listener's place, when the window holds no more what comes next: the log has to tell it.
  [[nodiscard]] std::optional<ChangePlace> IsBehind(const ListenerPtr& listener);
  // Gives the next part, now or later; the last where no place is known. Requires: none is owed.
  void Ask(const ListenerPtr& listener, http::PartSink sink);
  // Where the window begins; nothing: there is none, or the listener is not to be told any more.
  [[nodiscard]] std::optional<ChangePlace> FloorFor(const ListenerPtr& listener);
  // The listener has been told the log up to there.
  void StandAt(const ListenerPtr& listener, const ChangePlace& place);

 private:
  // By whom they follow; 0: everybody.
  using Waiting = std::multimap<UserId, ListenerPtr>;
  // Given once the lock is left.
  using Parts = std::vector<std::pair<http::PartSink, http::BodyPart>>;
  friend class Listener;

  // All of these require the lock.
  void Tell(const ListenerPtr& listener, Parts& parts);
  void Tell(Listener& listener, std::int64_t now_ms, Parts& parts);
  void AppendHeld(Listener& listener);
  void Wait(const ListenerPtr& listener);
  void GiveTo(Listener& listener, Parts& parts, bool last = false);
  void End(Listener& listener, std::string_view why, Parts& parts);
  void EndAll(std::string_view why, Parts& parts);
  [[nodiscard]] ChangePlace PlaceOf(const Listener& listener) const;
  template <class Each>
  void ForEachWaiting(const Change& change, const Each& each);

  const std::int32_t partitions_;
  const Clock& clock_;
  Gauge& listeners_shown_;
  Counter& told_shown_;
  std::mutex mutex_;
  std::optional<ChangeWindow> window_;  // nothing: where the topics stand is not known
  Waiting waiting_;
  std::map<UserId, std::size_t> followed_;  // how many follow these; 0: everybody
  std::size_t listeners_ = 0;
  bool retired_ = false;
};

}  // namespace fanfold::reader
