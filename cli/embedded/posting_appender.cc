#include "cli/embedded/posting_appender.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <fmt/format.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/json_text.h"
#include "common/post/post_event.h"
#include "common/profile/profile_event.h"
#include "common/relation/codec.h"
#include "common/stream/position.h"

namespace fanfold::embedded {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kEventsAtOnceMax = 1000;                 // of each route
constexpr std::size_t kBytesAtOnceMax = std::size_t{4} << 20;  // about: less than a route takes
constexpr std::int64_t kPostTimeoutMs = 15'000;
constexpr std::int64_t kRetryAfterMaxS = 60;  // a longer one is not waited for

struct Waiting {
  std::string event;  // as the route takes it
  LogAppender::Done done;
};

std::string EventIdMember(std::string_view event_id) {
  return event_id.empty() ? std::string() : fmt::format(R"(,"event_id":"{}")", event_id);
}

std::optional<std::string> ApiEventOfRelation(std::string_view value) {
  const auto event = DecodeEvent(value);
  if (!event) return std::nullopt;
  const bool by_object = event->by == AskedBy::kObject;
  std::string text = fmt::format(R"({{"type":"{}","subject":"{}","object":"{}","at":{})",
                                 by_object ? "remove_fan" : ToString(event->type),
                                 event->subject.value, event->object.value, event->at_ms);
  if (event->if_version) text += fmt::format(R"(,"if_version":{})", event->if_version->value);
  text += EventIdMember(event->event_id);
  if (event->replay_of) text += fmt::format(R"(,"replay_of":"{}")", ToString(*event->replay_of));
  return text + '}';
}

std::optional<std::string> ApiEventOfPost(std::string_view value) {
  const auto event = DecodePostEvent(value);
  if (!event) return std::nullopt;
  std::string text =
      fmt::format(R"({{"type":"{}","author":"{}","post_id":"{}","at":{})", ToString(event->type),
                  event->author.value, event->post_id.value, event->at_ms);
  if (event->type == PostEventType::kPost) {
    text += fmt::format(R"(,"post_type":{},"content":{})", event->post_type,
                        JsonQuoted(event->content));
  }
  text += EventIdMember(event->event_id);
  return text + '}';
}

// Of a profile alone: an account's end is asked for otherwise.
std::optional<std::string> ApiEventOfUser(std::string_view value) {
  const auto event = DecodeProfileEvent(value);
  const auto* const set = event ? std::get_if<ProfileSet>(&event->what) : nullptr;
  if (set == nullptr) return std::nullopt;
  std::string profile;
  AppendProfile(profile, set->profile);
  return fmt::format(R"({{"type":"profile_set","user":"{}","at":{},{})", event->user.value,
                     event->at_ms, std::string_view(profile).substr(1));
}

// Where a topic's events are asked for, and how; nothing when a value is none.
struct Api {
  const char* path = nullptr;
  std::optional<std::string> (*event_of)(std::string_view value) = nullptr;
};

std::optional<Api> ApiOf(Topic topic) {
  if (topic == topics::kRelationEvents) return Api{"/v1/events", ApiEventOfRelation};
  if (topic == topics::kPostEvents) return Api{"/v1/post-events?imported=true", ApiEventOfPost};
  if (topic == topics::kUserEvents) return Api{"/v1/user-events", ApiEventOfUser};
  return std::nullopt;
}

// What the writer says of a refusal. Its log is another process's, at which doctor looks for the
// operator.
std::optional<std::string> DetailIn(const Json& answer) {
  constexpr std::string_view kLogTells = "the process logs why";
  if (!answer.is_object() || !answer.contains("detail")) return std::nullopt;
  const Json& detail = answer["detail"];
  if (!detail.is_string()) return detail.dump();
  std::string text = detail.get<std::string>();
  if (!text.ends_with(kLogTells)) return text;
  text.resize(text.size() - kLogTells.size());
  return text + "`fanfold doctor` says why";
}

Result<Position> PositionIn(const Json& result) {
  if (result.is_object() && result.contains("position") && result["position"].is_string()) {
    const auto position = ParseStreamPosition(result["position"].get<std::string>());
    if (position) return position->position;
  }
  const std::optional<std::string> refused = DetailIn(result);
  return Fail(refused ? ErrorCode::kRefused : ErrorCode::kUnknown,
              refused.value_or("the writer's answer is not understood"));
}

class PostingAppender final : public LogAppender {
 public:
  PostingAppender(const http::HttpEndpoint& writer, const Api& api, const AppenderOptions& options,
                  std::shared_ptr<WriterRefusal> refusal)
      : api_(api),
        options_(options),
        refusal_(std::move(refusal)),
        client_(writer, kPostTimeoutMs),
        thread_([this](const std::stop_token& stop) { Run(stop); }) {}

  ~PostingAppender() override {
    thread_.request_stop();
    thread_.join();
    for (Waiting& waiting : queue_) {
      waiting.done(Fail(ErrorCode::kUnknown, "given up before it was sent"));
    }
  }

  void Append(Partition /*partition*/, std::string_view /*key*/, std::string_view value,
              Done done) override {
    std::optional<std::string> event = api_.event_of(value);
    if (!event) return done(Fail(ErrorCode::kInvalidArgument, "not an event"));
    {
      const std::lock_guard lock(mutex_);
      if (queue_.size() < kRecordsInFlightMax) {
        queue_.push_back({std::move(*event), std::move(done)});
        changed_.notify_all();
        return;
      }
    }
    done(Fail(ErrorCode::kOverloaded, "too many events in flight"));
  }

  bool Flush(std::int64_t timeout_ms) override {
    std::unique_lock lock(mutex_);
    return idle_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                          [this] { return queue_.empty() && !sending_; });
  }

 private:
  void Run(const std::stop_token& stop) {
    while (true) {
      std::vector<Waiting> batch = Take(stop);
      if (batch.empty()) return;
      if (stopped_) {
        FailAll(batch, {ErrorCode::kUnavailable, "stopped, an earlier append failed"});
      } else {
        Send(stop, batch);
      }
      const std::lock_guard lock(mutex_);
      sending_ = false;
      idle_.notify_all();
    }
  }

  // Empty when it was stopped.
  std::vector<Waiting> Take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !queue_.empty(); })) return {};
    std::vector<Waiting> batch;
    std::size_t bytes = 0;
    while (!queue_.empty() && batch.size() < kEventsAtOnceMax && bytes < kBytesAtOnceMax) {
      bytes += queue_.front().event.size();
      batch.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    sending_ = true;
    return batch;
  }

  void Send(const std::stop_token& stop, std::vector<Waiting>& batch) {
    std::string body = R"({"events":[)";
    for (const Waiting& waiting : batch) {
      if (&waiting != batch.data()) body += ',';
      body += waiting.event;
    }
    body += "]}";
    const Result<http::ClientResponse> answer = Post(stop, body);
    if (!answer) return FailAll(batch, answer.error());
    const Json json = Json::parse(answer->body, nullptr, /*allow_exceptions=*/false);
    const bool whole = answer->status == 202 && json.is_object() && json.contains("results") &&
                       json["results"].size() == batch.size();
    if (!whole) {
      const ErrorCode code = IsForNow(*answer) ? ErrorCode::kUnavailable : ErrorCode::kUnknown;
      const std::string why = DetailIn(json).value_or(answer->body);
      return FailAll(batch, {code, fmt::format("HTTP {}: {}", answer->status, why)});
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Result<Position> position = PositionIn(json["results"][i]);
      if (!position) stopped_ = options_.stop_on_failure;
      batch[i].done(position);
    }
  }

  static Status WhyRefused(const Result<http::ClientResponse>& answer) {
    if (!answer) return std::unexpected(answer.error());
    if (!IsForNow(*answer)) return {};
    const Json json = Json::parse(answer->body, nullptr, /*allow_exceptions=*/false);
    const std::optional<std::string> told = DetailIn(json);
    return Fail(ErrorCode::kUnavailable,
                fmt::format("HTTP {}{}", answer->status, told ? ": " + *told : ""));
  }

  static bool IsForNow(const http::ClientResponse& answer) {
    return answer.status == 429 || answer.status == 503;
  }

  // Again while it is refused for now and there is time.
  Result<http::ClientResponse> Post(const std::stop_token& stop, const std::string& body) {
    using Clock = std::chrono::steady_clock;
    const auto last = Clock::now() + std::chrono::milliseconds(options_.delivery_timeout_ms);
    while (true) {
      Result<http::ClientResponse> answer = client_.Post(api_.path, body);
      refusal_->Note(WhyRefused(answer));
      if (!answer || !IsForNow(*answer)) return answer;
      const auto again = Clock::now() + std::chrono::seconds(std::clamp<std::int64_t>(
                                            answer->retry_after_s, 1, kRetryAfterMaxS));
      if (options_.delivery_timeout_ms > 0 && again > last) return answer;
      std::unique_lock lock(mutex_);
      changed_.wait_until(lock, stop, again, [] { return false; });
      if (stop.stop_requested()) return answer;
    }
  }

  void FailAll(std::vector<Waiting>& batch, const Error& why) {
    stopped_ = options_.stop_on_failure;
    for (Waiting& waiting : batch) waiting.done(std::unexpected(why));
  }

  const Api api_;
  const AppenderOptions options_;
  const std::shared_ptr<WriterRefusal> refusal_;
  http::HttpClient client_;  // the thread's own
  bool stopped_ = false;     // the thread's own: nothing is sent any more
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::condition_variable idle_;
  std::deque<Waiting> queue_;
  bool sending_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace

Result<std::unique_ptr<LogAppender>> NewPostingAppender(const http::HttpEndpoint& writer,
                                                        Topic topic, const AppenderOptions& options,
                                                        std::shared_ptr<WriterRefusal> refusal) {
  const std::optional<Api> api = ApiOf(topic);
  if (api) return std::make_unique<PostingAppender>(writer, *api, options, std::move(refusal));
  return Fail(ErrorCode::kRefused,
              std::string(topic.name()) + " is not appended to through the process that serves");
}

}  // namespace fanfold::embedded
