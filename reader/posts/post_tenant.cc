#include "reader/posts/post_tenant.h"

#include "reader/posts/post_questions.h"

namespace fanfold::reader {
namespace {

ParsedRead ParsePosts(const http::Routed& routed) {
  return ParseTenantPage(routed,
                         [](UserId author, const std::optional<std::string_view>& cursor,
                            std::size_t limit) -> QuestionPtr {
                           std::optional<PostPlace> after;
                           if (cursor) after = DecodePostCursor(*cursor);
                           if (cursor && !after) return nullptr;
                           return NewPostPage(author, after, limit);
                         });
}

ParsedRead ParseOnePost(const http::Routed& routed) {
  return ParseTenantRow(routed, "a post, by a decimal id 1 … 2^63−1 without sign or leading zero",
                        [](UserId author, std::string_view segment) -> QuestionPtr {
                          const std::optional<PostId> post = ParsePostId(segment);
                          return post ? NewOnePost(author, *post) : nullptr;
                        });
}

// The tables answer alone.
class PostTenant final : public Tenant {
 public:
  std::vector<TenantRoute> routes() const override {
    return {{"/v1/users/{author}/posts", ParsePosts},
            {"/v1/users/{author}/posts/{post_id}", ParseOnePost}};
  }
};

}  // namespace

std::unique_ptr<Tenant> NewPostTenant() { return std::make_unique<PostTenant>(); }

}  // namespace fanfold::reader
