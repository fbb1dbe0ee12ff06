#include "writer/posts/post_answers.h"

#include <fmt/format.h>
#include <iterator>
#include <string>

#include "common/http/problem.h"
#include "common/http/status.h"
#include "writer/answers.h"

namespace fanfold::writer {
namespace {

// Its members, without the brackets.
void AppendAccepted(std::string& out, const PostAccepted& accepted) {
  auto to = std::back_inserter(out);
  AppendLogged(out, accepted.logged);
  if (accepted.post) {
    fmt::format_to(to, R"(,"post_id":"{}","score":{})", accepted.post->post_id.value,
                   accepted.post->score);
  }
  if (accepted.outcome) fmt::format_to(to, R"(,"outcome":"{}")", ToString(*accepted.outcome));
}

void AppendPostId(std::string& out, const PostRefusal& refused) {
  if (!refused.post_id) return;
  fmt::format_to(std::back_inserter(out), R"(,"post_id":"{}")", refused.post_id->value);
}

http::Response ProblemOfPost(const PostRefusal& refused) {
  http::Response response = ResponseOf(refused.refusal);
  if (refused.post_id) {
    http::AddMembers(response, fmt::format(R"("post_id":"{}")", refused.post_id->value));
  }
  return response;
}

http::Response ProblemOfBatch(const PostRefusal& refused, std::span<const PostAnswer> answers) {
  http::Response response = ResponseOf(refused.refusal);
  std::string ids;
  for (const PostAnswer& answer : answers) {
    const std::optional<PostId>& post = answer.error().post_id;
    if (&answer != &answers.front()) ids += ',';
    ids += post ? fmt::format("\"{}\"", post->value) : "null";
  }
  http::AddMembers(response, fmt::format(R"("post_ids":[{}])", ids));
  return response;
}

bool IsForWantOfTheLog(const PostRefusal& refused) {
  const RefusalCode code = refused.refusal.code;
  return code == RefusalCode::kLogUnavailable || code == RefusalCode::kOverloaded;
}

// As RefuseWholeBatch: none is in the log, and the log was away or full for at least one.
const PostRefusal* RefusedWhole(std::span<const PostAnswer> answers) {
  const PostRefusal* first = nullptr;
  for (const PostAnswer& answer : answers) {
    if (answer) return nullptr;
    if (first == nullptr && IsForWantOfTheLog(answer.error())) first = &answer.error();
  }
  return first;
}

}  // namespace

http::Response ResponseOf(const PostAnswer& answer) {
  if (!answer) return ProblemOfPost(answer.error());
  http::Response response;
  response.status = answer->outcome ? http::kOk : http::kAccepted;
  response.headers.push_back(PositionHeader(answer->logged));
  response.body = "{";
  AppendAccepted(response.body, *answer);
  response.body += '}';
  return response;
}

http::Response ResponseOf(std::span<const PostAnswer> answers) {
  if (const PostRefusal* refused = RefusedWhole(answers)) return ProblemOfBatch(*refused, answers);
  http::Response response;
  response.status = http::kAccepted;
  response.body = R"({"results":[)";
  for (const PostAnswer& answer : answers) {
    response.body += &answer == &answers.front() ? "{" : ",{";
    if (answer) {
      AppendAccepted(response.body, *answer);
    } else {
      AppendRefused(response.body, answer.error().refusal);
      AppendPostId(response.body, answer.error());
    }
    response.body += '}';
  }
  response.body += "]}";
  return response;
}

}  // namespace fanfold::writer
