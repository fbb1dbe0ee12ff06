// Requests are the same however their bytes come in pieces. What is no request may be known for one
// earlier or later.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/http/request_parser.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {
namespace {

using http::RequestParser;
using State = RequestParser::State;

// Small enough that inputs reach them.
constexpr std::size_t kHeaderBytesMax = 256;
constexpr std::size_t kBodyBytesMax = 64;

std::string Described(const http::ParsedRequest& request) {
  std::string text(http::ToString(request.method));
  text.append(" ").append(request.target).append(request.keep_alive ? " keep" : " close");
  for (const char* name : {"Host", "Origin", "Content-Type", "Content-Length", "Connection"}) {
    text.append("\n").append(request.headers.Get(name).value_or("-"));
  }
  return text.append("\n").append(request.body);
}

// What a connection makes of bytes that come `piece` at a time.
std::vector<std::string> RequestsIn(std::string_view bytes, std::size_t piece) {
  RequestParser parser(kHeaderBytesMax);
  std::vector<std::string> requests;
  std::string held;
  while (!bytes.empty()) {
    held += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    for (State state = State::kComplete; state != State::kNeedMore && !held.empty();) {
      const RequestParser::Progress progress = parser.Put(held);
      FANFOLD_CHECK(progress.consumed <= held.size(), held);
      held.erase(0, progress.consumed);
      state = progress.state;
      if (state == State::kFailed) {
        requests.push_back("failed " + std::to_string(parser.failure().kind.status));
        return requests;
      }
      if (state == State::kHead) parser.TakeBody(kBodyBytesMax);
      (void)parser.TakeContinueWanted();
      if (state != State::kComplete) continue;
      FANFOLD_CHECK(!parser.IsWithinRequest(), held);
      FANFOLD_CHECK(parser.request().body.size() <= kBodyBytesMax, parser.request().body);
      requests.push_back(Described(parser.request()));
    }
    FANFOLD_CHECK(held.size() <= kHeaderBytesMax, held);
  }
  return requests;
}

bool IsFailure(const std::string& request) { return request.starts_with("failed"); }

bool AgreeButForAFailure(std::vector<std::string> a, std::vector<std::string> b) {
  for (std::vector<std::string>* requests : {&a, &b}) {
    if (!requests->empty() && IsFailure(requests->back())) requests->pop_back();
  }
  return a == b;
}

}  // namespace

const FuzzTarget kRequests("requests", [](std::string_view input) {
  const std::size_t piece = 1 + TakeByte(input) % 16;
  const auto whole = RequestsIn(input, std::string_view::npos);
  const auto pieces = RequestsIn(input, piece);
  FANFOLD_CHECK(AgreeButForAFailure(whole, pieces), std::to_string(piece));
});

}  // namespace fanfold
