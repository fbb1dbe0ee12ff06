#include "writer/metered_appender.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace fanfold::writer {
namespace {

class MeteredAppender final : public LogAppender {
 public:
  MeteredAppender(Topic topic, std::unique_ptr<LogAppender> appender, Metrics& metrics,
                  IsOther is_other)
      : appended_(metrics.GetCounter("fanfold_writer_events_appended_total",
                                     "Events that the log has acknowledged",
                                     {{"topic", std::string(topic.name())}})),
        seconds_(metrics.GetSeconds("fanfold_writer_append_seconds",
                                    "From the append of an event to the log's ack")),
        is_other_(std::move(is_other)),
        appender_(std::move(appender)) {}

  void Append(Partition partition, std::string_view key, std::string_view value,
              Done done) override {
    if (went_back_ || (is_other_ && is_other_())) return done(AnotherLog());
    const auto begun = SteadyClock::now();
    appender_->Append(partition, key, value,
                      [this, begun, done = std::move(done)](Result<Position> appended) {
                        if (appended && GoesBack(*appended)) return done(AnotherLog());
                        if (appended) Observe(begun);
                        done(std::move(appended));
                      });
  }

  [[nodiscard]] bool Flush(std::int64_t timeout_ms) override {
    return appender_->Flush(timeout_ms);
  }

  [[nodiscard]] Status MayAppend() const override {
    return went_back_ ? Status(AnotherLog()) : appender_->MayAppend();
  }

 private:
  using SteadyClock = std::chrono::steady_clock;

  static std::unexpected<Error> AnotherLog() {
    return Fail(ErrorCode::kRefused, "it is another log by now");
  }

  // Acks of a partition come in the order of its offsets.
  bool GoesBack(const Position& at) {
    const std::scoped_lock lock(mutex_);
    const auto [last, is_first] = last_.try_emplace(at.partition, at.offset);
    if (!is_first && at.offset <= last->second) went_back_ = true;
    last->second = at.offset;
    return went_back_;
  }

  void Observe(SteadyClock::time_point begun) {
    appended_.Add(1);
    seconds_.Observe(std::chrono::duration<double>(SteadyClock::now() - begun).count());
  }

  Counter& appended_;
  Histogram& seconds_;
  const IsOther is_other_;
  std::mutex mutex_;
  std::map<Partition, Offset> last_;  // acked
  std::atomic<bool> went_back_ = false;
  std::unique_ptr<LogAppender> appender_;  // last: its destructor still calls back
};

}  // namespace

std::unique_ptr<LogAppender> NewMeteredAppender(Topic topic, std::unique_ptr<LogAppender> appender,
                                                Metrics& metrics, IsOther is_other) {
  return std::make_unique<MeteredAppender>(topic, std::move(appender), metrics,
                                           std::move(is_other));
}

}  // namespace fanfold::writer
