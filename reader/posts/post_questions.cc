#include "reader/posts/post_questions.h"

#include <array>
#include <utility>
#include <vector>

#include "common/ports/post_reader.h"
#include "reader/posts/post_json.h"

namespace fanfold::reader {
namespace {

class OfAuthor : public TableQuestion {
 public:
  explicit OfAuthor(UserId author) : author_(author) {}
  std::vector<LanesRead> lanes(const Placement& placement) const override {
    return {LanesOfUser(projections::kPosts, author_, placement)};
  }

 protected:
  // ask(reader, generation, author, the author's partition), on the author's shard.
  template <class Asking>
  [[nodiscard]] Result<PostView> View(ShardedReader& tables, const Deployment& deployment,
                                      const Asking& ask) const {
    const Result<ProjectionReader*> reader = tables.On(deployment.placement.ShardOf(author_));
    if (!reader) return std::unexpected(reader.error());
    return ask(*OpenPosts(**reader), deployment.read[projections::kPosts], author_,
               deployment.placement.PartitionOf(author_));
  }
  [[nodiscard]] PostItem Told(const ListedPost& post) const {
    return {{author_, post.place, post.post_type}, post.content};
  }

 private:
  const UserId author_;
};

class PostPage final : public OfAuthor {
 public:
  PostPage(UserId author, const std::optional<PostPlace>& after, std::size_t limit)
      : OfAuthor(author), after_(after), limit_(limit) {}

  Result<std::optional<std::string>> Ask(ShardedReader& tables, const Deployment& deployment,
                                         const Expand& expand) const override {
    Result<PostView> view =
        View(tables, deployment,
             [this](PostReader& posts, Generation generation, UserId author, Partition partition) {
               // One more tells that more come.
               return posts.Page(generation, author, partition, after_, limit_ + 1);
             });
    if (!view) return Forward(view);
    std::vector<ListedPost>& posts = view->posts;
    const bool more = posts.size() > limit_;
    if (more) posts.resize(limit_);
    std::vector<PostItem> told;
    told.reserve(posts.size());
    for (const ListedPost& post : posts) told.push_back(Told(post));
    const Result<std::string> items = ItemsJson(told, expand);
    if (!items) return std::unexpected(items.error());
    return R"({"items":[)" + *items + R"(],"next_cursor":)" +
           (more ? '"' + EncodePostCursor(posts.back().place) + '"' : "null") + '}';
  }

 private:
  const std::optional<PostPlace> after_;
  const std::size_t limit_;
};

class OnePost final : public OfAuthor {
 public:
  OnePost(UserId author, PostId post) : OfAuthor(author), post_(post) {}

  Result<std::optional<std::string>> Ask(ShardedReader& tables, const Deployment& deployment,
                                         const Expand& expand) const override {
    Result<PostView> view =
        View(tables, deployment,
             [this](PostReader& posts, Generation generation, UserId author, Partition partition) {
               return posts.One(generation, author, partition, post_);
             });
    if (!view) return Forward(view);
    if (view->posts.empty()) return std::nullopt;
    return ItemsJson(std::array{Told(view->posts.front())}, expand);
  }

 private:
  const PostId post_;
};

}  // namespace

QuestionPtr NewPostPage(UserId author, const std::optional<PostPlace>& after, std::size_t limit) {
  return std::make_shared<PostPage>(author, after, limit);
}

QuestionPtr NewOnePost(UserId author, PostId post) {
  return std::make_shared<OnePost>(author, post);
}

}  // namespace fanfold::reader
