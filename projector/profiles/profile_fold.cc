#include "projector/profiles/profile_fold.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "projector/profiles/profile_rows.h"

namespace fanfold::projector {
namespace {

// Rows of a transaction: with the longest profiles some 25 MB.
constexpr std::size_t kRowsMax = 4'096;

class ProfileBatch final : public FoldBatch {
 public:
  explicit ProfileBatch(const Placement& placement) : rows_(placement) {}

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
  const RowWrites& Writes() override {
    writes_.profiles = std::move(rows_.rows());
    return writes_;
  }
  void Committed() override {}

 private:
  ProfileRows rows_;
  ProfileWrites writes_;
};

class OpenProfileFold final : public OpenFold {
 public:
  explicit OpenProfileFold(const Placement& placement) : placement_(placement) {}

  std::unique_ptr<FoldBatch> NewBatch() override {
    return std::make_unique<ProfileBatch>(placement_);
  }
  void Forget() override {}

 private:
  Placement placement_;
};

class ProfileParts final : public RowParts {
 public:
  explicit ProfileParts(std::vector<ProfileWrite> rows) : rows_(std::move(rows)) {}

  const RowWrites& Next(bool /*newest*/) override {
    const std::size_t part = std::min(kRowsMax, rows_.size() - at_);
    const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(at_);
    writes_.profiles.assign(first, first + static_cast<std::ptrdiff_t>(part));
    at_ += part;
    return writes_;
  }
  bool AtEnd() const noexcept override { return at_ == rows_.size(); }

 private:
  const std::vector<ProfileWrite> rows_;
  std::size_t at_ = 0;
  ProfileWrites writes_;
};

class ProfileLoad final : public FoldLoad {
 public:
  explicit ProfileLoad(const Placement& placement) : placement_(placement), rows_(placement) {}

  std::vector<std::expected<Decided, Unreadable>> ReadDecided(
      std::span<const LogRecord> records) override {
    return rows_.Read(records);
  }
  void Keep(std::span<const std::size_t> places) override { rows_.Keep(places); }
  std::size_t rows() const noexcept override { return rows_.rows().size(); }
  void Seal() override { rows_.Seal(); }
  std::unique_ptr<RowParts> PartsOf(Shard shard) const override {
    std::vector<ProfileWrite> own;
    std::ranges::copy_if(rows_.rows(), std::back_inserter(own), [&](const ProfileWrite& write) {
      return placement_.ShardOf(write.user) == shard;
    });
    return std::make_unique<ProfileParts>(std::move(own));
  }
  void Clear() override { rows_.rows().clear(); }

 private:
  Placement placement_;
  ProfileRows rows_;
};

}  // namespace

std::unique_ptr<FoldLoad> ProfileFold::NewLoad(const Placement& placement) const {
  return std::make_unique<ProfileLoad>(placement);
}

std::unique_ptr<OpenFold> ProfileFold::Open(LaneStore& /*store*/, const WorkPlace& place) const {
  return std::make_unique<OpenProfileFold>(place.placement);
}

}  // namespace fanfold::projector
