#include "common/post/post_fields.h"

#include <fmt/format.h>

namespace fanfold {

PostId ReadPostId(RecordFields& fields) { return PostId(fields.Id("post_id", "the id of a post")); }

std::int64_t ReadPostType(RecordFields& fields, std::string_view name) {
  const std::int64_t type = fields.Number(name);
  if (type <= kPostTypeMax) return type;
  fields.Refuse(ParkReason::kInvalidField,
                fmt::format("{} is {}, at most {}", name, type, kPostTypeMax));
  return 0;
}

std::string ReadContent(RecordFields& fields) {
  std::string content = fields.Text("content");
  if (content.size() <= kContentBytesMax) return content;
  fields.Refuse(ParkReason::kInvalidField,
                fmt::format("content has {} bytes, at most {}", content.size(), kContentBytesMax));
  return {};
}

}  // namespace fanfold
