#include "reader/posts/post_tenant.h"

#include "common/stream/no_id.h"
#include "reader/posts/post_questions.h"

namespace fanfold::reader {
namespace {

ParsedRead ParsePosts(const http::Routed& routed, const Expansions& expansions) {
  Parameters parameters(routed,
                        {"limit", "cursor", "expand", "generation", "min_position", "timeout_ms"});
  const UserId author = parameters.PathUser();
  const std::size_t limit = parameters.Limit();
  const std::optional<PostPlace> after = parameters.CursorBy(DecodePostCursor);
  parameters.Expand(expansions);
  return parameters.Finish(TenantQuery{NewPostPage(author, after, limit)});
}

ParsedRead ParseOnePost(const http::Routed& routed, const Expansions&) {
  Parameters parameters(routed, {"generation", "min_position", "timeout_ms"});
  const UserId author = parameters.PathUser();
  const std::optional<PostId> post = ParsePostId(routed.path.at(1));
  if (!post) parameters.Refuse(NoId("the post in the path"));
  return parameters.Finish(TenantQuery{NewOnePost(author, post.value_or(PostId()))});
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
