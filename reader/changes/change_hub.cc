#include "reader/changes/change_hub.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/pause.h"
#include "common/ports/log_proof.h"
#include "reader/changes/change_proof.h"
#include "reader/changes/event_stream.h"
#include "reader/freshness/followed_log.h"

namespace fanfold::reader {

// One stream on its way out: asked for its parts, one at a time.
class ChangeStream : public std::enable_shared_from_this<ChangeStream> {
 public:
  ChangeStream(ChangeHub& hub, ListenerPtr listener, ChangeFilter filter, PrincipalPtr who)
      : hub_(hub), listener_(std::move(listener)), filter_(filter), who_(std::move(who)) {}
  ~ChangeStream() {
    if (catch_up_) catch_up_->Leave();
    hub_.changes_.Leave(listener_);
  }
  ChangeStream(const ChangeStream&) = delete;
  ChangeStream& operator=(const ChangeStream&) = delete;

  // False: where they are behind, too many read the log.
  [[nodiscard]] bool MayBegin() {
    const std::optional<ChangePlace> behind = hub_.changes_.IsBehind(listener_);
    if (behind) catch_up_ = hub_.NewCatchUp(listener_, filter_, who_, *behind);
    return !behind || catch_up_;
  }

  // Once it is known that the place they brought, if any, is of this log.
  void Begin(const ChangeHub::Begun& begun) {
    begun(MayBegin() ? Result<http::BodySource>(Source()) : TooManyRead());
  }

  // Requires: the hub knows where the topics stand.
  void BeginIfProved(ChangeHub::Begun begun) {
    const std::optional<Claim> claim = hub_.changes_.Judge(listener_);
    if (!claim) return begun(Fail(ErrorCode::kUnavailable, "the place in the log is lost"));
    if (claim->says == Claim::Says::kHolds) return Begin(begun);
    if (claim->says == Claim::Says::kFails) return begun(std::unexpected(OtherEvents()));
    catch_up_ = hub_.NewCatchUp(listener_, filter_, who_, claim->id.place);
    if (!catch_up_) return begun(TooManyRead());
    catch_up_->Prove(claim->id.proof,
                     [stream = shared_from_this(), begun = std::move(begun)](const Status& proved) {
                       if (!proved) return begun(std::unexpected(proved.error()));
                       begun(stream->Source());
                     });
  }

  static Result<http::BodySource> TooManyRead() {
    return Fail(ErrorCode::kOverloaded, "too many read the log");
  }

  void Ask(http::PartSink sink) {
    if (catch_up_ && catch_up_->Ask(sink)) return;
    catch_up_ = nullptr;
    if (!hub_.IsKnown(shared_from_this(), sink)) return;
    if (!MayBegin()) return sink({": too many read the log: come again\n\n", true});
    if (catch_up_ && catch_up_->Ask(sink)) return;
    hub_.changes_.Ask(listener_, std::move(sink));
  }

 private:
  http::BodySource Source() {
    return [stream = shared_from_this()](const http::PartSink& sink) { stream->Ask(sink); };
  }

  ChangeHub& hub_;
  const ListenerPtr listener_;
  const ChangeFilter filter_;
  const PrincipalPtr who_;
  std::shared_ptr<CatchUp> catch_up_;
};

ChangeHub::ChangeHub(EventLog& log, const PositionBoard& board, ReaderFactory factory,
                     const Clock& clock, Metrics& metrics)
    : log_(log),
      board_(board),
      factory_(std::move(factory)),
      clock_(clock),
      changes_(board.shape().partitions, clock, metrics),
      hints_(board_, factory_, clock),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

// A stream whose place is judged belongs to the thread that judges it.
ChangeHub::~ChangeHub() {
  Retire();
  decltype(catch_ups_) left;
  {
    const std::scoped_lock lock(mutex_);
    left.swap(catch_ups_);
  }
  for (const OnTheirWay& one : left) one.catch_up->Join();
}

void ChangeHub::Retire() {
  changes_.Retire();
  TellKnown();
  const std::scoped_lock lock(mutex_);
  for (const OnTheirWay& one : catch_ups_) one.catch_up->Leave();
}

void ChangeHub::Listen(ListenerAsked asked, Begun begun) {
  const ChangeFilter filter = asked.filter;
  const PrincipalPtr who = asked.who;
  const bool brings_place = !std::holds_alternative<FromNow>(asked.start);
  ListenerPtr listener = changes_.Join(std::move(asked));
  if (!listener) return begun(Fail(ErrorCode::kRefused, "too many listeners"));
  const auto stream = std::make_shared<ChangeStream>(*this, std::move(listener), filter, who);
  bool waits = false;
  {
    const std::scoped_lock lock(mutex_);
    wanted_ = true;
    waits = brings_place && !known_;
    if (waits) begins_.emplace_back(stream, std::move(begun));
  }
  changed_.notify_all();
  if (waits) return;
  brings_place ? stream->BeginIfProved(std::move(begun)) : stream->Begin(begun);
}

bool ChangeHub::IsKnown(const StreamPtr& stream, http::PartSink& sink) {
  const std::scoped_lock lock(mutex_);
  if (known_) return true;
  std::erase_if(unknown_, [](const Waits& waits) { return waits.first.expired(); });
  unknown_.emplace_back(stream, std::move(sink));
  return false;
}

void ChangeHub::TellKnown() {
  std::vector<Waits> waited;
  decltype(begins_) begins;
  {
    const std::scoped_lock lock(mutex_);
    known_ = true;
    waited.swap(unknown_);
    begins.swap(begins_);
  }
  for (auto& [stream, begun] : begins) stream->BeginIfProved(std::move(begun));
  for (auto& [waits, sink] : waited) {
    if (const StreamPtr stream = waits.lock()) stream->Ask(std::move(sink));
  }
}

void ChangeHub::RefuseBegins(const Error& why) {
  decltype(begins_) begins;
  {
    const std::scoped_lock lock(mutex_);
    begins.swap(begins_);
  }
  for (const auto& [stream, begun] : begins) begun(std::unexpected(why));
}

void ChangeHub::EndWaits() {
  decltype(unknown_) waited;
  {
    const std::scoped_lock lock(mutex_);
    waited.swap(unknown_);
  }
  std::string text;
  AppendWhy(text, "the log is not the tables': come again");
  for (auto& [waits, sink] : waited) {
    if (const StreamPtr stream = waits.lock()) sink({text, true});
  }
}

std::shared_ptr<CatchUp> ChangeHub::NewCatchUp(const ListenerPtr& listener,
                                               const ChangeFilter& filter, const PrincipalPtr& who,
                                               const ChangePlace& from) {
  decltype(catch_ups_) over;  // joined outside the lock
  const std::scoped_lock lock(mutex_);
  std::size_t of_one = 0;
  for (auto at = catch_ups_.begin(); at != catch_ups_.end();) {
    const auto next = std::next(at);
    if (at->catch_up->is_over()) {
      over.splice(over.end(), catch_ups_, at);
    } else if (who && at->who && at->who->name == who->name) {
      ++of_one;
    }
    at = next;
  }
  if (catch_ups_.size() >= kCatchUpsMax || of_one >= kCatchUpsOfOneMax) return nullptr;
  auto made = std::make_shared<CatchUp>(log_, changes_, FriendHints(board_, factory_, clock_),
                                        listener, filter, from, clock_);
  catch_ups_.push_back({who, made});
  return made;
}

void ChangeHub::Run(const std::stop_token& stop) {
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return wanted_; })) return;
  }
  while (!stop.stop_requested()) {
    const Status followed = Follow(stop);
    changes_.Lose();
    if (!followed) RefuseBegins(ToldOfLog(followed.error(), clock_));
    if (!followed && followed.error().code == ErrorCode::kRefused) EndWaits();
    PauseUnlessStopped(kRetryMs, stop);
  }
}

Status ChangeHub::Follow(const std::stop_token& stop) {
  ChangePlace at(partitions());
  std::vector<ChangeLogReader> readers;
  LogProof proof(log_);
  for (const Stream stream : kChangeStreams) {
    if (Status same = ProveFollowed(proof, board_, stream); !same) return same;
    Result<ChangeLogReader> reader = ChangeLogReader::OpenAtEnd(log_, stream, at);
    if (!reader) return Forward(reader);
    readers.push_back(*std::move(reader));
  }
  changes_.Start(at);
  TellKnown();
  std::stop_source round;
  const std::stop_callback with_all(stop, [&] { round.request_stop(); });
  std::array<Status, kChangeStreams.size()> ended;
  std::vector<std::jthread> threads;
  threads.reserve(ended.size());
  for (std::size_t i = 0; i < ended.size(); ++i) {
    threads.emplace_back([&, i] {
      ended[i] = FollowStream(kChangeStreams[i], readers[i], round.get_token());
      round.request_stop();
    });
  }
  while (!round.stop_requested()) {
    PauseUnlessStopped(kSweepMs, round.get_token());
    changes_.Sweep();
  }
  threads.clear();
  const auto failed = std::ranges::find_if(ended, [](const Status& status) { return !status; });
  return failed == ended.end() ? Status() : *failed;
}

Status ChangeHub::FollowStream(Stream stream, ChangeLogReader& reader,
                               const std::stop_token& stop) {
  LogProof proof(log_);
  bool doubts = false;
  for (std::int64_t polled_ms = clock_.SteadyMs(); !stop.stop_requested();) {
    const auto told = reader.Poll(kPollRecordsMax, kPollTimeoutMs);
    const std::int64_t now_ms = clock_.SteadyMs();
    const bool was_blind = now_ms - std::exchange(polled_ms, now_ms) > kPollTimeoutMs + kUnseenMs;
    doubts = doubts || was_blind || !told;
    if (!told && told.error().code == ErrorCode::kOutOfRange) {
      return std::unexpected(told.error());
    }
    if (!told) {
      PauseUnlessStopped(kPollTimeoutMs, stop);  // the log is away: it comes back
      continue;
    }
    while (doubts && !told->empty() && !stop.stop_requested()) {
      const Status same = ProveFollowed(proof, board_, stream);
      if (!same && same.error().code == ErrorCode::kRefused) return same;
      doubts = !same;
      if (doubts) PauseUnlessStopped(kPollTimeoutMs, stop);
    }
    if (doubts && !told->empty()) return {};  // it was told to stop
    if (stream == streams::kRelations) MarkFriends(*told);
    changes_.Publish(*told);
  }
  return {};
}

void ChangeHub::MarkFriends(std::span<const ToldEvent> told) {
  const std::vector<bool> followed = changes_.AreFollowed(told);
  std::vector<Change*> changes;
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (followed[i]) changes.push_back(told[i].change.get());
  }
  hints_.Mark(changes);
}

}  // namespace fanfold::reader
