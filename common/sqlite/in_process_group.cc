#include "common/sqlite/in_process_group.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "common/sqlite/share_out.h"

namespace fanfold {

using sqlite::kNobody;
using sqlite::MemberId;
using sqlite::ShareOut;

namespace {

// How often a member that nothing happens to is served; well within the session's time-out.
constexpr std::int64_t kServeMs = 100;

std::size_t IndexOf(Partition partition) { return static_cast<std::size_t>(partition.value); }

}  // namespace

// Who is in the group, who is to have each partition, and who has it. Thread-safe.
class InProcessGroup::State {
 public:
  State(std::int32_t partitions, const Clock& clock, std::int64_t session_timeout_ms)
      : clock_(clock),
        session_timeout_ms_(session_timeout_ms),
        target_(static_cast<std::size_t>(partitions), kNobody),
        holder_(static_cast<std::size_t>(partitions), kNobody) {}

  [[nodiscard]] MemberId Join() {
    const std::lock_guard lock(mutex_);
    const MemberId member = ++last_member_;
    seen_ms_[member] = clock_.SteadyMs();
    Share();
    return member;
  }

  void Leave(MemberId member) {
    const std::lock_guard lock(mutex_);
    Remove(member);
    Share();
  }

  // Sees the member. Those of `held` that it is to give up; all when it is out of the group.
  [[nodiscard]] std::vector<Partition> Losing(MemberId member, const std::set<Partition>& held) {
    const std::lock_guard lock(mutex_);
    See(member);
    std::vector<Partition> losing;
    for (const Partition partition : held) {
      if (holder_[IndexOf(partition)] != member || target_[IndexOf(partition)] != member) {
        losing.push_back(partition);
      }
    }
    return losing;
  }

  void Release(MemberId member, std::span<const Partition> lost) {
    const std::lock_guard lock(mutex_);
    for (const Partition partition : lost) {
      MemberId& holder = holder_[IndexOf(partition)];
      if (holder == member) holder = kNobody;
    }
    Changed();
  }

  // Takes what is free and the member's to have.
  [[nodiscard]] std::vector<Partition> Gaining(MemberId member) {
    const std::lock_guard lock(mutex_);
    std::vector<Partition> gaining;
    for (std::size_t p = 0; p < holder_.size(); ++p) {
      if (target_[p] != member || holder_[p] != kNobody) continue;
      holder_[p] = member;
      gaining.emplace_back(static_cast<std::int32_t>(p));
    }
    return gaining;
  }

  [[nodiscard]] bool Has(MemberId member) const {
    const std::lock_guard lock(mutex_);
    return seen_ms_.contains(member);
  }

  // How often the group has changed.
  [[nodiscard]] std::uint64_t changes() const {
    const std::lock_guard lock(mutex_);
    return changes_;
  }
  // Waits for a change after `seen`, or a call of Wake, for at most kServeMs.
  void AwaitChange(std::uint64_t seen) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(kServeMs), [&] { return changes_ != seen; });
  }
  void Wake() {
    const std::lock_guard lock(mutex_);
    Changed();
  }

 private:
  // All require that mutex_ is held.
  void See(MemberId member) {
    const std::int64_t now_ms = clock_.SteadyMs();
    if (const auto seen = seen_ms_.find(member); seen != seen_ms_.end()) seen->second = now_ms;
    std::vector<MemberId> silent;
    for (const auto& [other, seen_ms] : seen_ms_) {
      if (now_ms - seen_ms >= session_timeout_ms_) silent.push_back(other);
    }
    for (const MemberId other : silent) Remove(other);
    if (!silent.empty()) Share();
  }
  void Remove(MemberId member) {
    seen_ms_.erase(member);
    std::ranges::replace(holder_, member, kNobody);
  }
  void Share() {
    std::vector<MemberId> members;
    members.reserve(seen_ms_.size());
    for (const auto& [member, seen_ms] : seen_ms_) members.push_back(member);
    target_ = ShareOut(target_, members);
    Changed();
  }
  void Changed() {
    ++changes_;
    changed_.notify_all();
  }

  const Clock& clock_;
  const std::int64_t session_timeout_ms_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t changes_ = 0;
  MemberId last_member_ = kNobody;
  std::map<MemberId, std::int64_t> seen_ms_;  // of each member, in the order of joining
  std::vector<MemberId> target_;
  std::vector<MemberId> holder_;
};

namespace {

class Member final : public InProcessMember {
 public:
  explicit Member(std::shared_ptr<InProcessGroup::State> group) : group_(std::move(group)) {}
  ~Member() override { Leave(); }

  Status Join(Callbacks callbacks) override {
    if (id_ != kNobody) return Fail(ErrorCode::kRefused, "joined twice");
    callbacks_ = std::move(callbacks);
    id_ = group_->Join();
    return {};
  }

  void Serve() override {
    if (id_ == kNobody) return;
    while (true) {
      const std::vector<Partition> losing = group_->Losing(id_, held_);
      if (losing.empty()) break;
      Lose(losing);
    }
    if (!group_->Has(id_)) id_ = group_->Join();
    const std::vector<Partition> gained = group_->Gaining(id_);
    if (gained.empty() && told_) return;
    told_ = true;
    held_.insert(gained.begin(), gained.end());
    callbacks_.gained(gained);
  }

  void Leave() override {
    if (id_ == kNobody) return;
    if (!held_.empty()) Lose(std::vector<Partition>(held_.begin(), held_.end()));
    group_->Leave(std::exchange(id_, kNobody));
  }

 private:
  void Lose(const std::vector<Partition>& losing) {
    callbacks_.lost(losing);
    for (const Partition partition : losing) held_.erase(partition);
    group_->Release(id_, losing);
  }

  const std::shared_ptr<InProcessGroup::State> group_;
  Callbacks callbacks_;
  MemberId id_ = kNobody;
  std::set<Partition> held_;
  bool told_ = false;  // what it has, be it nothing
};

class ThreadedMember final : public PartitionOwnership {
 public:
  explicit ThreadedMember(std::shared_ptr<InProcessGroup::State> group)
      : group_(group), member_(std::move(group)) {}
  ~ThreadedMember() override { Leave(); }

  Status Join(Callbacks callbacks) override {
    if (Status joined = member_.Join(std::move(callbacks)); !joined) return joined;
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
    return {};
  }

  void Leave() override {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    group_->Wake();
    thread_.join();
    member_.Leave();
  }

 private:
  void Run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const std::uint64_t seen = group_->changes();
      member_.Serve();
      if (!stop.stop_requested()) group_->AwaitChange(seen);
    }
  }

  const std::shared_ptr<InProcessGroup::State> group_;
  Member member_;
  std::jthread thread_;
};

}  // namespace

InProcessGroup::InProcessGroup(std::int32_t partitions, const Clock& clock,
                               std::int64_t session_timeout_ms)
    : state_(std::make_shared<State>(partitions, clock, session_timeout_ms)) {}

InProcessGroup::~InProcessGroup() = default;

std::unique_ptr<InProcessMember> InProcessGroup::NewMember() {
  return std::make_unique<Member>(state_);
}

std::unique_ptr<PartitionOwnership> InProcessGroup::NewThreadedMember() {
  return std::make_unique<ThreadedMember>(state_);
}

}  // namespace fanfold
