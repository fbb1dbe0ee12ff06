#include "projector/profiles/profile_fold.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "projector/profiles/erase_task.h"
#include "projector/profiles/profile_rows.h"

namespace fanfold::projector {
namespace {

// Rows of a transaction of a load, in memory; as much again of erasures.
constexpr std::size_t kPartBytesMax = 4'000'000;

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

// The rows of a shard, where the load holds them.
template <class Row>
class PartsOfRows {
 public:
  PartsOfRows(const std::vector<Row>& all, const auto& is_own) {
    for (const Row& row : all) {
      if (is_own(row)) rows_.push_back(&row);
    }
  }

  // Copies as many as a transaction takes, at least one, of those that were not taken yet.
  void Take(std::vector<Row>& part) {
    part.clear();
    for (std::size_t bytes = 0; !AtEnd() && bytes < kPartBytesMax; ++at_) {
      bytes += BytesOf(part.emplace_back(*rows_[at_]));
    }
  }
  [[nodiscard]] bool AtEnd() const noexcept { return at_ == rows_.size(); }

 private:
  std::vector<const Row*> rows_;
  std::size_t at_ = 0;
};

class ProfileParts final : public RowParts {
 public:
  ProfileParts(const ProfileWrites& all, const Placement& placement, Shard shard)
      : profiles_(all.profiles,
                  [&](const ProfileWrite& one) { return placement.ShardOf(one.user) == shard; }),
        erasures_(all.erasures,
                  [&](const Erasure& one) { return placement.ShardOf(one.key.user) == shard; }) {}

  const RowWrites& Next(bool /*newest*/) override {
    profiles_.Take(part_.profiles);
    erasures_.Take(part_.erasures);
    return part_;
  }
  bool AtEnd() const noexcept override { return profiles_.AtEnd() && erasures_.AtEnd(); }

 private:
  PartsOfRows<ProfileWrite> profiles_;
  PartsOfRows<Erasure> erasures_;
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
  std::size_t bytes() const noexcept override { return rows_.bytes(); }
  void Seal() override { rows_.Seal(); }
  std::unique_ptr<RowParts> PartsOf(Shard shard) const override {
    return std::make_unique<ProfileParts>(rows_.writes(), placement_, shard);
  }
  void Clear() override { rows_.Clear(); }

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
