// Bytes into requests. Internal to common/http; pure, knows nothing of sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/http/byte_budget.h"
#include "common/http/http_server.h"
#include "common/http/problem.h"

namespace fanfold::http {

struct ParsedRequest {
  Method method = Method::kOther;
  std::string target;  // path and query as sent; the scheme and host of an absolute form cut off
  Headers headers;
  std::string body;
  bool is_http_1_0 = false;
  bool keep_alive = true;

  // A view into this; valid until the parser's next request.
  [[nodiscard]] Request Borrowed() const;
};

// Thread-compatible; one for each connection. It holds at most what bodies may have, and leaves at
// most header_bytes_max unconsumed. More than Headers::kLinesMax lines are too many headers.
class RequestParser {
 public:
  // kHead: all but the body, which there is. It is to be taken or skipped before the next Put.
  enum class State : std::uint8_t { kNeedMore, kHead, kComplete, kFailed };
  struct Progress {
    State state = State::kNeedMore;
    std::size_t consumed = 0;  // bytes not to be put again
  };
  struct Failure {
    ProblemKind kind = problems::kInvalidArgument;
    std::string detail;
  };

  // `large`: what large bodies of all share; null: nothing. Outlives the parser, and bodies that
  // are kept.
  explicit RequestParser(std::size_t header_bytes_max, ByteBudget* large = nullptr);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // Takes what can be taken of one request, starting a new one after a complete one. Put the
  // unconsumed bytes before those of the next call. After kFailed: do not call again.
  [[nodiscard]] Progress Put(std::string_view bytes);

  // The body's length, as the head says; nothing: it comes in chunks. Requires, as the next two do:
  // Put said kHead.
  [[nodiscard]] std::optional<std::uint64_t> body_bytes() const;
  void TakeBody(std::size_t bytes_max, ByteBudget::Owner owner = ByteBudget::kNobody);
  void SkipBody();
  // True once for each request that expects "100 Continue" and whose body has not begun.
  [[nodiscard]] bool TakeContinueWanted();
  // Is it waited for, with nothing sent before?
  [[nodiscard]] bool is_continue_wanted() const noexcept;

  // True between a request's first consumed byte and its last.
  [[nodiscard]] bool IsWithinRequest() const noexcept;
  // The request. Requires: Put said kHead or kComplete.
  [[nodiscard]] const ParsedRequest& request() const noexcept;
  // The complete request; with a large body it is kept with the request.
  [[nodiscard]] Request Whole();
  // Nobody needs the complete request's body any more.
  void DropBody();
  // Requires: Put said kFailed.
  [[nodiscard]] Failure failure() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fanfold::http
