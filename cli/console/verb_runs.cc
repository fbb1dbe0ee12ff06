#include "cli/console/verb_runs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/console/line_file.h"
#include "cli/console/line_stream.h"
#include "common/base/json_text.h"
#include "common/base/logging.h"
#include "common/http/problem.h"

namespace fanfold::console {
namespace {

constexpr std::string_view kNdjson = "application/x-ndjson";

// As Ctrl-C does.
class Stopper final : public operations::Interrupt {
 public:
  explicit Stopper(CallerPtr connection) : connection_(std::move(connection)) {}

  bool WaitFor(std::int64_t timeout_ms) override {
    const auto until = SteadyClock::now() + std::chrono::milliseconds(timeout_ms);
    std::unique_lock lock(mutex_);
    while (!IsStopped()) {
      const auto now = SteadyClock::now();
      if (now >= until) return false;
      changed_.wait_until(lock, std::min(until, now + kLookEvery));
    }
    return true;
  }
  void Stop() {
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
  }

 private:
  using SteadyClock = std::chrono::steady_clock;
  // Nobody says that a connection is gone.
  static constexpr std::chrono::milliseconds kLookEvery{100};

  [[nodiscard]] bool IsStopped() const {
    return stopped_ || (connection_ && connection_->is_gone());
  }

  const CallerPtr connection_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
};

LineFile::Told Telling(LineStream& stream, std::string_view as) {
  return [&stream, as](std::string_view line) {
    return stream.Push(fmt::format(R"({{"{}":{}}})", as, JsonQuoted(line)));
  };
}

LineFile::Told TellingProgress(LineStream& stream) {
  return [&stream](std::string_view line) {
    return stream.Push(fmt::format(R"({{"progress":{}}})", line));
  };
}

void Tell(const VerbRequest& request, const AuditCaller& caller, ExitCode code) {
  std::vector<const char*> typed = {"fanfold"};
  for (const std::string& argument : request.arguments) typed.push_back(argument.c_str());
  TellAudit(request.command.verb, caller, typed, code);
}

}  // namespace

class VerbRuns::Run {
 public:
  Run(const RunCommand& run, VerbRequest request, VerbCaller caller)
      : run_(run),
        request_(std::move(request)),
        caller_(std::move(caller.audit)),
        stopper_(std::make_shared<Stopper>(std::move(caller.connection))) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { Stop(); }

  // Called once.
  [[nodiscard]] http::BodySource Begin() {
    thread_ = std::jthread([this] { Work(); });
    return stream_->Source();
  }
  void Stop() { stopper_->Stop(); }
  [[nodiscard]] bool IsDone() const noexcept { return done_.load(); }

 private:
  void Work() {
    const ExitCode code = RunToTheEnd();
    Tell(request_, caller_, code);
    stream_->Push(fmt::format(R"({{"exit":{}}})", static_cast<int>(code)));
    stream_->End();
    done_.store(true);
  }

  ExitCode RunToTheEnd() {
    const LineFile out(Telling(*stream_, "out"));
    const LineFile err(Telling(*stream_, "said"));
    const LineFile progress(TellingProgress(*stream_));
    fanfold::Console console({.out = out.file(), .err = err.file(), .progress = progress.file()});
    try {
      return console.Ended(run_(request_.command, console, *stopper_));
    } catch (const std::exception& error) {
      LogError("a verb of the console failed", {{"why", error.what()}});
      return console.SayError({ErrorCode::kInternal, error.what()});
    }
  }

  const RunCommand& run_;
  const VerbRequest request_;
  const AuditCaller caller_;
  // The stream may outlive the run, as the body of an answer.
  const std::shared_ptr<Stopper> stopper_;
  const std::shared_ptr<LineStream> stream_ =
      LineStream::Make([stopper = stopper_] { stopper->Stop(); });
  std::atomic<bool> done_ = false;
  std::jthread thread_;
};

VerbRuns::VerbRuns(RunCommand run) : run_(std::move(run)) {}
VerbRuns::~VerbRuns() { Retire(); }

void VerbRuns::Begin(VerbRequest request, VerbCaller caller, const http::Reply& reply) {
  http::Response response;
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(runs_, [](const std::unique_ptr<Run>& run) { return run->IsDone(); });
    if (retired_ || runs_.size() >= kAtOnceMax) {
      return reply(
          http::Problem(http::problems::kOverloaded,
                        retired_ ? "stopping" : fmt::format("{} verbs are running", kAtOnceMax)));
    }
    auto run = std::make_unique<Run>(run_, std::move(request), std::move(caller));
    response.stream = run->Begin();  // before it has a place, which one that never ran would keep
    runs_.push_back(std::move(run));
  }
  response.content_type = kNdjson;
  response.headers = {{"Cache-Control", "no-store"}};
  reply(std::move(response));
}

void VerbRuns::Retire() {
  const std::scoped_lock lock(mutex_);
  retired_ = true;
  for (const std::unique_ptr<Run>& run : runs_) run->Stop();
}

}  // namespace fanfold::console
