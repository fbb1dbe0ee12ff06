#include <utility>

#include "tests/simulation/faulty_store.h"

namespace fanfold::simulation {
namespace {

class FaultyTables final : public ProjectionReader {
 public:
  FaultyTables(std::unique_ptr<ProjectionReader> reader, Life& life, Nemesis& nemesis,
               OnView on_view, OnLanes on_lanes)
      : reader_(std::move(reader)),
        life_(life),
        nemesis_(nemesis),
        on_view_(std::move(on_view)),
        on_lanes_(std::move(on_lanes)) {}

  Result<std::vector<ListedUser>> Page(Direction list, Generation generation, UserId user,
                                       const PageStart& start, std::size_t limit) override {
    return Ask([&] { return reader_->Page(list, generation, user, start, limit); });
  }
  Result<std::vector<ListedUser>> FriendsPage(const ReadGenerations& read, UserId user,
                                              const PageStart& start, std::size_t limit) override {
    return Ask([&] { return reader_->FriendsPage(read, user, start, limit); });
  }
  Result<std::vector<ListedUser>> Among(Direction list, Generation generation, UserId user,
                                        std::span<const UserId> others) override {
    return Ask([&] { return reader_->Among(list, generation, user, others); });
  }
  Result<std::vector<UserCounts>> Counts(const ReadGenerations& read,
                                         std::span<const UserId> users) override {
    return Ask([&] { return reader_->Counts(read, users); });
  }
  Result<std::vector<Directions>> Relations(const ReadGenerations& read, UserId user,
                                            std::span<const UserId> targets) override {
    return Ask([&] { return reader_->Relations(read, user, targets); });
  }
  Result<UserView> View(const ReadGenerations& read, UserId user, Partition partition,
                        std::span<const ListQuestion> questions) override {
    return Ask([&] {
      Result<UserView> view = reader_->View(read, user, partition, questions);
      if (view && on_view_) on_view_(questions, *view);
      return view;
    });
  }
  Result<EdgeView> EdgeAt(Direction list, Generation generation, const EdgeKey& key,
                          Partition partition) override {
    return Ask([&] { return reader_->EdgeAt(list, generation, key, partition); });
  }
  Result<std::vector<RepairRow>> RepairsAfter(std::uint64_t after, std::size_t limit) override {
    return Ask([&] { return reader_->RepairsAfter(after, limit); });
  }
  Result<std::vector<LaneStatus>> Lanes() override {
    return Ask([&] {
      Result<std::vector<LaneStatus>> lanes = reader_->Lanes();
      if (lanes && on_lanes_) on_lanes_(*lanes);
      return lanes;
    });
  }
  Result<std::vector<ParkedRow>> Parked(Projection projection,
                                        std::optional<std::pair<Partition, Offset>> after,
                                        std::size_t limit) override {
    return Ask([&] { return reader_->Parked(projection, after, limit); });
  }
  Result<std::optional<ParkedRow>> ParkedAt(Projection projection, Partition partition,
                                            Offset offset) override {
    return Ask([&] { return reader_->ParkedAt(projection, partition, offset); });
  }
  std::unique_ptr<RowReader> OpenRows(Projection projection) override {
    return reader_->OpenRows(projection);
  }
  Result<SlotMap> ReadSlotMap(SlotMapId id) override {
    return Ask([&] { return reader_->ReadSlotMap(id); });
  }
  Result<Catalog> ReadCatalog() override {
    return Ask([&] { return reader_->ReadCatalog(); });
  }
  Status Ping() override {
    return Ask([&] { return reader_->Ping(); });
  }

 private:
  template <class Question>
  auto Ask(const Question& question) -> decltype(question()) {
    life_.Enter(PortCall::kQuery);
    if (nemesis_.Strikes(Fault::kStoreUnavailable)) {
      return Fail(ErrorCode::kUnavailable, "the tables are away");
    }
    auto answer = question();
    life_.Leave(PortCall::kQuery);
    return answer;
  }

  std::unique_ptr<ProjectionReader> reader_;
  Life& life_;
  Nemesis& nemesis_;
  const OnView on_view_;
  const OnLanes on_lanes_;
};

}  // namespace

std::unique_ptr<ProjectionReader> MakeFaulty(std::unique_ptr<ProjectionReader> reader, Life& life,
                                             Nemesis& nemesis, OnView on_view, OnLanes on_lanes) {
  return std::make_unique<FaultyTables>(std::move(reader), life, nemesis, std::move(on_view),
                                        std::move(on_lanes));
}

}  // namespace fanfold::simulation
