#include "reader/posts/post_questions.h"

#include <fmt/format.h>
#include <utility>

#include "common/ports/post_reader.h"
#include "reader/posts/post_json.h"

namespace fanfold::reader {
namespace {

class OfAuthor : public TableQuestion {
 public:
  explicit OfAuthor(UserId author) : author_(author) {}
  Projection projection() const override { return projections::kPosts; }
  UserId user() const override { return author_; }

 protected:
  void Append(std::string& json, const ListedPost& post) const {
    AppendJson(json, {author_, post.place, post.post_type}, post.content);
  }

 private:
  const UserId author_;
};

class PostPage final : public OfAuthor {
 public:
  PostPage(UserId author, const std::optional<PostPlace>& after, std::size_t limit)
      : OfAuthor(author), after_(after), limit_(limit) {}

  Result<std::optional<std::string>> Ask(ProjectionReader& reader, Generation generation,
                                         Partition partition) const override {
    // One more tells that more come.
    Result<PostView> view =
        OpenPosts(reader)->Page(generation, user(), partition, after_, limit_ + 1);
    if (!view) return Forward(view);
    std::vector<ListedPost>& posts = view->posts;
    const bool more = posts.size() > limit_;
    if (more) posts.resize(limit_);
    std::string json = R"({"items":[)";
    for (const ListedPost& post : posts) {
      if (&post != &posts.front()) json += ',';
      Append(json, post);
    }
    json += R"(],"next_cursor":)";
    json += more ? fmt::format("\"{}\"", EncodePostCursor(posts.back().place)) : "null";
    json += '}';
    return json;
  }

 private:
  const std::optional<PostPlace> after_;
  const std::size_t limit_;
};

class OnePost final : public OfAuthor {
 public:
  OnePost(UserId author, PostId post) : OfAuthor(author), post_(post) {}

  Result<std::optional<std::string>> Ask(ProjectionReader& reader, Generation generation,
                                         Partition partition) const override {
    Result<PostView> view = OpenPosts(reader)->One(generation, user(), partition, post_);
    if (!view) return Forward(view);
    if (view->posts.empty()) return std::nullopt;
    std::string json;
    Append(json, view->posts.front());
    return json;
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
