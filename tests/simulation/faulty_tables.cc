#include <utility>

#include "tests/simulation/faulty_store.h"

namespace fanfold::simulation {
namespace {

// A question to the tables, by a process that may die or be held up in it.
class Asking {
 public:
  Asking(Life& life, Nemesis& nemesis) : life_(life), nemesis_(nemesis) {}

  template <class Question>
  auto operator()(const Question& question) const -> decltype(question()) {
    life_.Enter(PortCall::kQuery);
    if (nemesis_.Strikes(Fault::kStoreUnavailable)) {
      return Fail(ErrorCode::kUnavailable, "the tables are away");
    }
    auto answer = question();
    life_.Leave(PortCall::kQuery);
    return answer;
  }

 private:
  Life& life_;
  Nemesis& nemesis_;
};

class FaultyPosts final : public PostReader {
 public:
  FaultyPosts(std::unique_ptr<PostReader> posts, const Asking& asking, OnPosts on_posts)
      : posts_(std::move(posts)), ask_(asking), on_posts_(std::move(on_posts)) {}

  Result<PostView> Page(Generation generation, UserId author, Partition partition,
                        const std::optional<PostPlace>& after, std::size_t limit) override {
    return ask_([&] { return posts_->Page(generation, author, partition, after, limit); });
  }
  Result<PostView> One(Generation generation, UserId author, Partition partition,
                       PostId post) override {
    return ask_([&] { return posts_->One(generation, author, partition, post); });
  }
  Result<StretchesView> Stretches(Generation generation, std::span<const PostStretch> stretches,
                                  std::size_t limit) override {
    return ask_([&] {
      Result<StretchesView> view = posts_->Stretches(generation, stretches, limit);
      if (view && on_posts_) on_posts_(stretches, view->at);
      return view;
    });
  }
  Result<PostsView> Among(Generation generation, std::span<const RowKey> posts) override {
    return ask_([&] { return posts_->Among(generation, posts); });
  }

 private:
  const std::unique_ptr<PostReader> posts_;
  const Asking ask_;
  const OnPosts on_posts_;
};

class FaultyTables final : public ProjectionReader {
 public:
  FaultyTables(std::unique_ptr<ProjectionReader> reader, Life& life, Nemesis& nemesis,
               OnView on_view, OnLanes on_lanes, OnPosts on_posts)
      : reader_(std::move(reader)),
        ask_(life, nemesis),
        on_view_(std::move(on_view)),
        on_lanes_(std::move(on_lanes)),
        on_posts_(std::move(on_posts)) {}

  Result<std::vector<ListedUser>> Page(Direction list, Generation generation, UserId user,
                                       const PageStart& start, std::size_t limit) override {
    return ask_([&] { return reader_->Page(list, generation, user, start, limit); });
  }
  Result<std::vector<ListedUser>> FriendsPage(const ReadGenerations& read, UserId user,
                                              const PageStart& start, std::size_t limit) override {
    return ask_([&] { return reader_->FriendsPage(read, user, start, limit); });
  }
  Result<std::vector<ListedUser>> Among(Direction list, Generation generation, UserId user,
                                        std::span<const UserId> others) override {
    return ask_([&] { return reader_->Among(list, generation, user, others); });
  }
  Result<std::vector<UserCounts>> Counts(const ReadGenerations& read,
                                         std::span<const UserId> users) override {
    return ask_([&] { return reader_->Counts(read, users); });
  }
  Result<std::vector<Directions>> Relations(const ReadGenerations& read, UserId user,
                                            std::span<const UserId> targets) override {
    return ask_([&] { return reader_->Relations(read, user, targets); });
  }
  Result<UserView> View(const ReadGenerations& read, UserId user, Partition partition,
                        std::span<const ListQuestion> questions) override {
    return ask_([&] {
      Result<UserView> view = reader_->View(read, user, partition, questions);
      if (view && on_view_) on_view_(questions, *view);
      return view;
    });
  }
  Result<EdgeView> EdgeAt(Direction list, Generation generation, const EdgeKey& key,
                          Partition partition) override {
    return ask_([&] { return reader_->EdgeAt(list, generation, key, partition); });
  }
  Result<std::vector<RepairRow>> RepairsAfter(std::uint64_t after, std::size_t limit) override {
    return ask_([&] { return reader_->RepairsAfter(after, limit); });
  }
  Result<std::vector<LaneStatus>> Lanes() override {
    return ask_([&] {
      Result<std::vector<LaneStatus>> lanes = reader_->Lanes();
      if (lanes && on_lanes_) on_lanes_(*lanes);
      return lanes;
    });
  }
  Result<std::vector<ParkedRow>> Parked(Projection projection,
                                        std::optional<std::pair<Partition, Offset>> after,
                                        std::size_t limit) override {
    return ask_([&] { return reader_->Parked(projection, after, limit); });
  }
  Result<std::optional<ParkedRow>> ParkedAt(Projection projection, Partition partition,
                                            Offset offset) override {
    return ask_([&] { return reader_->ParkedAt(projection, partition, offset); });
  }
  std::unique_ptr<RowReader> OpenRows(Projection projection) override {
    if (projection != projections::kPosts) return reader_->OpenRows(projection);
    return std::make_unique<FaultyPosts>(OpenPosts(*reader_), ask_, on_posts_);
  }
  Result<SlotMap> ReadSlotMap(SlotMapId id) override {
    return ask_([&] { return reader_->ReadSlotMap(id); });
  }
  Result<Catalog> ReadCatalog() override {
    return ask_([&] { return reader_->ReadCatalog(); });
  }
  Status Ping() override {
    return ask_([&] { return reader_->Ping(); });
  }

 private:
  std::unique_ptr<ProjectionReader> reader_;
  const Asking ask_;
  const OnView on_view_;
  const OnLanes on_lanes_;
  const OnPosts on_posts_;
};

}  // namespace

std::unique_ptr<ProjectionReader> MakeFaulty(std::unique_ptr<ProjectionReader> reader, Life& life,
                                             Nemesis& nemesis, OnView on_view, OnLanes on_lanes,
                                             OnPosts on_posts) {
  return std::make_unique<FaultyTables>(std::move(reader), life, nemesis, std::move(on_view),
                                        std::move(on_lanes), std::move(on_posts));
}

}  // namespace fanfold::simulation
