// Answers about posts as HTTP. Pure.
#pragma once

#include <span>

#include "common/http/http_server.h"
#include "writer/posts/post_command.h"

namespace fanfold::writer {

// 200 with an outcome, else 202: {"event_id","position"[,"post_id","score"][,"outcome"]}, the
// header Fanfold-Position; a problem, with the post's id where it may be in the log.
[[nodiscard]] http::Response ResponseOf(const PostAnswer& answer);

// 202 {"results":[{"event_id","position"[,"post_id","score"]} or {"code","detail"[,"post_id"]},…]},
// or the problem of a batch that was refused as a whole, with "post_ids" in its order.
[[nodiscard]] http::Response ResponseOf(std::span<const PostAnswer> answers);

}  // namespace fanfold::writer
