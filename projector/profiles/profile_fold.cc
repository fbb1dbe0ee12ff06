#include "projector/profiles/profile_fold.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "projector/profiles/erase_task.h"
#include "projector/profiles/profile_rows.h"

namespace fanfold::projector {
namespace {

// Rows of a transaction: with the longest profiles some 25 MB.
constexpr std::size_t kRowsMax = 4'096;
// Each with the ends of up to 1,024 partitions.
constexpr std::size_t kErasuresMax = 512;

class ProfileBatch final : public FoldBatch {
 public:
  explicit ProfileBatch(std::int32_t partitions) : rows_(partitions) {}

  std::vector<UnreadableEvent> ReadEvents(std::span<const TakenEvent>) override { return {}; }
  std::vector<std::expected<Decided, Unreadable>> ReadDecided(
      std::span<const LogRecord> records) override {
    return rows_.Read(records);
  }
  void Keep(std::span<const std::size_t> places) override { rows_.Keep(places); }
  // An event says the row whole.
  bool NeedsRows() const noexcept override { return false; }
  Status Fill() override { return {}; }
  void Decide(OutcomeSink&) override { FANFOLD_CHECK(false, "nobody decides about profiles"); }
  void Apply() override { rows_.Seal(); }
  const RowWrites& Writes() override { return rows_.writes(); }
  void Committed() override {}

 private:
  ProfileRows rows_;
};

class OpenProfileFold final : public OpenFold {
 public:
  explicit OpenProfileFold(std::int32_t partitions) : partitions_(partitions) {}

  std::unique_ptr<FoldBatch> NewBatch() override {
    return std::make_unique<ProfileBatch>(partitions_);
  }
  void Forget() override {}

 private:
  std::int32_t partitions_;
};

// Moves as many as fit, of those that are not taken yet.
template <class Row>
void TakePart(std::vector<Row>& from, std::size_t& at, std::vector<Row>& part, std::size_t most) {
  const std::size_t taken = std::min(most, from.size() - at);
  const auto first = std::make_move_iterator(from.begin() + static_cast<std::ptrdiff_t>(at));
  part.assign(first, first + static_cast<std::ptrdiff_t>(taken));
  at += taken;
}

class ProfileParts final : public RowParts {
 public:
  explicit ProfileParts(ProfileWrites rows) : rows_(std::move(rows)) {}

  const RowWrites& Next(bool /*newest*/) override {
    TakePart(rows_.profiles, profiles_at_, part_.profiles, kRowsMax);
    TakePart(rows_.erasures, erasures_at_, part_.erasures, kErasuresMax);
    return part_;
  }
  bool AtEnd() const noexcept override {
    return profiles_at_ == rows_.profiles.size() && erasures_at_ == rows_.erasures.size();
  }

 private:
  ProfileWrites rows_;
  std::size_t profiles_at_ = 0;
  std::size_t erasures_at_ = 0;
  ProfileWrites part_;
};

class ProfileLoad final : public FoldLoad {
 public:
  explicit ProfileLoad(const Placement& placement)
      : placement_(placement), rows_(placement.partitions()) {}

  std::vector<std::expected<Decided, Unreadable>> ReadDecided(
      std::span<const LogRecord> records) override {
    return rows_.Read(records);
  }
  void Keep(std::span<const std::size_t> places) override { rows_.Keep(places); }
  std::size_t rows() const noexcept override {
    return rows_.writes().profiles.size() + rows_.writes().erasures.size();
  }
  void Seal() override { rows_.Seal(); }
  std::unique_ptr<RowParts> PartsOf(Shard shard) const override {
    ProfileWrites own;
    std::ranges::copy_if(
        rows_.writes().profiles, std::back_inserter(own.profiles),
        [&](const ProfileWrite& write) { return placement_.ShardOf(write.user) == shard; });
    std::ranges::copy_if(
        rows_.writes().erasures, std::back_inserter(own.erasures),
        [&](const Erasure& erasure) { return placement_.ShardOf(erasure.key.user) == shard; });
    return std::make_unique<ProfileParts>(std::move(own));
  }
  void Clear() override { rows_.writes() = {}; }

 private:
  Placement placement_;
  ProfileRows rows_;
};

}  // namespace

std::unique_ptr<FoldLoad> ProfileFold::NewLoad(const Placement& placement) const {
  return std::make_unique<ProfileLoad>(placement);
}

std::unique_ptr<OpenFold> ProfileFold::Open(LaneStore& /*store*/, const WorkPlace& place) const {
  return std::make_unique<OpenProfileFold>(place.placement.partitions());
}

std::unique_ptr<Task> ProfileFold::NewTask(const TaskPorts& ports) const {
  return std::make_unique<EraseTask>(ports);
}

}  // namespace fanfold::projector
