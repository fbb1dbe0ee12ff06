// People who follow each other, one follow at a time: PUT to the writer, then GET fans of the one
// and GET counts of the other for its position, until both have answered; checks what they say.
// everyday_load WRITER_PORT READER_PORT FIRST SECONDS CLIENTS PER_SECOND, as everyday.h says.
// One thread; prints WriteTimes' JSON.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "bench/bare_http.h"
#include "bench/everyday.h"
#include "bench/everyday_client.h"

namespace {

using namespace fanfold::bench;
using std::chrono::nanoseconds;

// After a refusal, as long as a client would wait before the next try.
constexpr std::chrono::milliseconds kRest{10};
// How long writes under way are waited for at the end.
constexpr std::chrono::seconds kGrace{10};
constexpr std::chrono::milliseconds kWaitMax{20};
constexpr std::size_t kEventsMax = 256;

[[noreturn]] void Fail(const std::string& why) { throw std::runtime_error(why); }

class Crowd {
 public:
  Crowd(std::uint16_t writer_port, std::uint16_t reader_port, const EverydayLoad& load)
      : load_(load), epoll_(::epoll_create1(0)) {
    for (std::size_t i = 0; i < load.clients; ++i) {
      clients_.push_back(std::make_unique<EverydayClient>(writer_port, reader_port));
      EverydayClient* client = clients_.back().get();
      free_.push_back(client);
      for (const BareHttp* connection : {&client->writer(), &client->reader()}) {
        epoll_event event{.events = EPOLLIN, .data = {.ptr = client}};
        ::epoll_ctl(epoll_, EPOLL_CTL_ADD, connection->socket(), &event);
      }
    }
  }
  ~Crowd() { ::close(epoll_); }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // Until all that was due is seen or left.
  std::string Run() {
    const EverydaySchedule schedule(load_);
    const Clock::time_point last = schedule.end() + kGrace;
    Clock::time_point now = schedule.start();
    while (now < schedule.closed() || (free_.size() < clients_.size() && now < last)) {
      StartDue(schedule, now);
      SendAgain(now);
      Receive(NextWake(schedule, now));
      now = Clock::now();
    }
    Leave(schedule, now);
    return times_.Json(schedule.start());
  }

 private:
  void StartDue(const EverydaySchedule& schedule, Clock::time_point now) {
    while (!free_.empty() && now < schedule.closed()) {
      const Clock::time_point due = schedule.Due(started_, now);
      if (due > now || due >= schedule.end()) return;
      EverydayClient* client = free_.front();
      free_.pop_front();
      client->Start(follows_[load_.first_follow + started_++], due);
    }
  }

  void SendAgain(Clock::time_point now) {
    for (; !resting_.empty() && resting_.front().first <= now; resting_.pop_front()) {
      resting_.front().second->SendAgain();
    }
  }

  [[nodiscard]] Clock::time_point NextWake(const EverydaySchedule& schedule,
                                           Clock::time_point now) const {
    Clock::time_point wake = now + kWaitMax;
    if (!resting_.empty()) wake = std::min(wake, resting_.front().first);
    if (!free_.empty() && now < schedule.end()) {
      wake = std::min(wake, schedule.Due(started_, now));
    }
    return wake;
  }

  void Receive(Clock::time_point wake) {
    const nanoseconds wait = std::max(nanoseconds(wake - Clock::now()), nanoseconds(0));
    const timespec timeout{0, wait.count()};  // below a second
    const int ready =
        ::epoll_pwait2(epoll_, events_.data(), static_cast<int>(kEventsMax), &timeout, nullptr);
    const Clock::time_point now = Clock::now();
    for (int i = 0; i < ready; ++i) {
      Take(*static_cast<EverydayClient*>(events_[static_cast<std::size_t>(i)].data.ptr), now);
    }
  }

  void Take(EverydayClient& client, Clock::time_point now) {
    switch (client.Receive()) {
      case EverydayClient::Came::kNothing:
      case EverydayClient::Came::kFans:
        return;
      case EverydayClient::Came::kAck:
        return times_.Acked(client.due(), now);
      case EverydayClient::Came::kRefusal:
        times_.Refused(client.status());
        resting_.emplace_back(now + kRest, &client);
        return;
      case EverydayClient::Came::kCounts:
        times_.Seen(client.due(), now);
        free_.push_back(&client);
    }
  }

  // What is still under way, and what was due and found nobody free.
  void Leave(const EverydaySchedule& schedule, Clock::time_point now) {
    for (const auto& client : clients_) {
      if (std::ranges::find(free_, client.get()) == free_.end()) times_.Left(client->due(), now);
    }
    for (; schedule.Due(started_, now) < schedule.end(); ++started_) {
      times_.Left(schedule.Due(started_, now), schedule.end());
    }
  }

  const EverydayLoad load_;
  const EverydayFollows follows_;
  int epoll_;
  std::vector<std::unique_ptr<EverydayClient>> clients_;
  std::deque<EverydayClient*> free_;
  std::deque<std::pair<Clock::time_point, EverydayClient*>> resting_;  // with when they try again
  std::array<epoll_event, kEventsMax> events_{};
  std::uint64_t started_ = 0;
  WriteTimes times_;
};

// Each client has two connections; many systems let a program have 1024 files, unless it asks.
void AllowOpenFiles() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::uint16_t Port(const char* text) { return static_cast<std::uint16_t>(std::atoi(text)); }

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3 + EverydayLoad::kArguments) {
      Fail("WRITER_PORT READER_PORT FIRST SECONDS CLIENTS PER_SECOND");
    }
    AllowOpenFiles();
    Crowd crowd(Port(argv[1]), Port(argv[2]), EverydayLoad::Parse(argv + 3));
    std::puts(crowd.Run().c_str());
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "everyday_load: {}\n", error.what());
    return 1;
  }
  return 0;
}
