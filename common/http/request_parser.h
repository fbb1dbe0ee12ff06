// Bytes into requests. Internal to common/http; pure, knows nothing of sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/http/http_server.h"
#include "common/http/large_bodies.h"
#include "common/http/problem.h"

namespace fanfold::http {

struct ParsedRequest {
  Method method = Method::kOther;
  std::string target;  // path and query as sent; the scheme and host of an absolute form cut off
  Headers headers;
  std::string body;
  bool is_http_1_0 = false;
  bool keep_alive = true;

  // What points into this; valid until the parser's next Put.
  [[nodiscard]] Request Borrowed() const;
};

// Thread-compatible; one for each connection. What it holds is bounded by body_bytes_max, what it
// leaves unconsumed by header_bytes_max. More than Headers::kLinesMax lines are too many headers.
class RequestParser {
 public:
  enum class State : std::uint8_t { kNeedMore, kComplete, kFailed };
  struct Progress {
    State state = State::kNeedMore;
    std::size_t consumed = 0;  // bytes not to be put again
  };
  struct Failure {
    ProblemKind kind = problems::kInvalidArgument;
    std::string detail;
  };

  // `large`: what large bodies of all share; null: nothing. Outlives the parser.
  RequestParser(std::size_t header_bytes_max, std::size_t body_bytes_max,
                LargeBodies* large = nullptr);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // Takes what can be taken of one request, starting a new one after a complete one. What was not
  // consumed has to stand before the bytes of the next call. After kFailed: do not call again.
  [[nodiscard]] Progress Put(std::string_view bytes);

  // True between a request's first consumed byte and its last.
  [[nodiscard]] bool IsWithinRequest() const noexcept;
  // True once for each request that expects "100 Continue" and whose body has not begun.
  [[nodiscard]] bool TakeContinueWanted();
  // The complete request. Requires: Put said kComplete.
  [[nodiscard]] const ParsedRequest& request() const noexcept;
  // Nobody needs the complete request's body any more.
  void DropBody();
  // Requires: Put said kFailed.
  [[nodiscard]] Failure failure() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fanfold::http
