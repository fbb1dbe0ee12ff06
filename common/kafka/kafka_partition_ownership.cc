#include "common/kafka/kafka_partition_ownership.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "common/base/logging.h"
#include "common/kafka/group_member.h"

namespace fanfold {
namespace {

using kafka::GroupMember;

constexpr std::int64_t kServeMs = 100;
constexpr std::int64_t kRejoinMs = 1000;
constexpr std::int64_t kLeaveTimeoutMs = 10'000;
// Of which the good-bye to a broker that does not answer.
constexpr std::int64_t kCloseTimeoutMs = 5'000;

// What the thread shares with its owner. The thread keeps it alive, since a callback that does not
// return must not keep Leave from returning.
class Membership {
 public:
  explicit Membership(OwnershipOptions options) : options_(std::move(options)) {}

  Status Join(PartitionOwnership::Callbacks callbacks) {
    callbacks_ = {Guarded(std::move(callbacks.gained)), Guarded(std::move(callbacks.lost))};
    auto member = std::make_unique<GroupMember>(options_, callbacks_);
    if (Status subscribed = member->Subscribe(); !subscribed) return subscribed;
    member_ = std::move(member);
    return {};
  }

  void Run() {
    while (!Stopping(0)) {
      if (member_ != nullptr && member_->Serve(kServeMs)) {
        if (member_->IsOutdated()) Renew();
      } else {
        Rejoin();
      }
    }
    if (member_ != nullptr) member_->Close(kCloseTimeoutMs);
    member_.reset();
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  // False when the thread has not ended in time; no callback begins afterwards.
  bool Stop(std::int64_t timeout_ms) {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
    if (changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [this] { return ended_; })) {
      return true;
    }
    muted_ = true;
    return false;
  }

 private:
  using Callback = std::function<void(std::span<const Partition>)>;

  Callback Guarded(Callback callback) {
    return [this, inner = std::move(callback)](std::span<const Partition> partitions) {
      {
        const std::lock_guard lock(mutex_);
        if (muted_) return;
      }
      inner(partitions);
    };
  }

  // A stay that is over ends with `lost` for what it had.
  void Rejoin() {
    member_.reset();
    if (Stopping(kRejoinMs)) return;
    Enter(std::make_unique<GroupMember>(options_, callbacks_));
  }

  // The next one can be made before this one goes, or it stays; tried again.
  void Renew() {
    auto next = std::make_unique<GroupMember>(options_, callbacks_);
    if (!next->Make() || !next->IsCurrent()) return;
    member_->Close(kCloseTimeoutMs);
    Enter(std::move(next));
  }

  void Enter(std::unique_ptr<GroupMember> next) {
    member_ = std::move(next);
    if (Status subscribed = member_->Subscribe(); !subscribed) {
      LogError("the group cannot be joined", {{"why", subscribed.error().message}});
      member_.reset();
    }
  }

  bool Stopping(std::int64_t wait_ms) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(wait_ms),
                             [this] { return stopping_; });
  }

  const OwnershipOptions options_;
  PartitionOwnership::Callbacks callbacks_;
  std::unique_ptr<GroupMember> member_;  // the thread's alone, once there is one
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool muted_ = false;
  bool ended_ = false;
};

class KafkaPartitionOwnership final : public PartitionOwnership {
 public:
  explicit KafkaPartitionOwnership(OwnershipOptions options) : options_(std::move(options)) {}
  ~KafkaPartitionOwnership() override { Leave(); }

  Status Join(Callbacks callbacks) override {
    if (membership_ != nullptr) return Fail(ErrorCode::kRefused, options_.group + ": joined twice");
    auto membership = std::make_shared<Membership>(options_);
    if (Status joined = membership->Join(std::move(callbacks)); !joined) return joined;
    thread_ = std::thread([running = membership] { running->Run(); });
    membership_ = std::move(membership);
    return {};
  }

  void Leave() override {
    if (membership_ == nullptr) return;
    if (membership_->Stop(kLeaveTimeoutMs)) {
      thread_.join();
    } else {
      LogError("leaving the group took too long", {{"group", options_.group}});
      thread_.detach();
    }
    membership_.reset();
  }

 private:
  const OwnershipOptions options_;
  std::shared_ptr<Membership> membership_;
  std::thread thread_;
};

}  // namespace

std::string ProjectorGroup(std::string_view projection) {
  return "fanfold-" + std::string(projection);
}

std::unique_ptr<PartitionOwnership> NewKafkaPartitionOwnership(const OwnershipOptions& options) {
  return std::make_unique<KafkaPartitionOwnership>(options);
}

}  // namespace fanfold
