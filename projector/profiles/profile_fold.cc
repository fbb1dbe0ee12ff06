#include "projector/profiles/profile_fold.h"

#include <memory>

#include "projector/profiles/erase_task.h"
#include "projector/profiles/profile_rows.h"
#include "projector/runtime/row_load.h"

namespace fanfold::projector {
namespace {

constexpr auto kBytesOf = [](const auto& row) { return BytesOf(row); };

// As much again of erasures as of profiles.
class ProfileParts final : public RowParts {
 public:
  ProfileParts(const ProfileWrites& all, const Placement& placement, Shard shard)
      : profiles_(all.profiles,
                  [&](const ProfileWrite& one) { return placement.ShardOf(one.user) == shard; }),
        erasures_(all.erasures,
                  [&](const Erasure& one) { return placement.ShardOf(one.key.user) == shard; }) {}

  const RowWrites& Next(bool /*newest*/) override {
    profiles_.Take(part_.profiles, kBytesOf);
    erasures_.Take(part_.erasures, kBytesOf);
    return part_;
  }
  bool AtEnd() const noexcept override { return profiles_.AtEnd() && erasures_.AtEnd(); }

 private:
  PartsOfRows<ProfileWrite> profiles_;
  PartsOfRows<Erasure> erasures_;
  ProfileWrites part_;
};

}  // namespace

std::unique_ptr<FoldLoad> ProfileFold::NewLoad(const Placement& placement) const {
  return std::make_unique<RowLoad<ProfileRows, ProfileParts>>(placement,
                                                              ProfileRows(placement.partitions()));
}

std::unique_ptr<OpenFold> ProfileFold::Open(LaneStore& /*store*/, const WorkPlace& place,
                                            const Clock& /*clock*/) const {
  return std::make_unique<OpenToldFold<ProfilesTold>>(place.placement.partitions());
}

std::unique_ptr<Task> ProfileFold::NewTask(const TaskPorts& ports) const {
  return std::make_unique<EraseTask>(ports);
}

}  // namespace fanfold::projector
