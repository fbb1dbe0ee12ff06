#include "common/http/request_parser.h"

// Beast asserts that an unfinished last chunk never comes in pieces of less than five bytes, which
// is for the client to choose; what the assertion guards is checked there as well.
#define BOOST_DISABLE_ASSERTS
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <optional>
#include <utility>

#include "common/http/arriving_body.h"

namespace fanfold::http {
namespace {

namespace beast_http = boost::beast::http;
using boost::beast::iequals;
using boost::beast::string_view;

constexpr string_view kExpectContinue = "100-continue";
constexpr string_view kChunked = "chunked";
constexpr int kHttp11 = 11;
// None (boost::none) is less than any length to Beast 1.74.
constexpr std::uint64_t kAnyLength = std::numeric_limits<std::uint64_t>::max();
// A larger body's memory is given back once its request is handed over.
constexpr std::size_t kBodyBytesKept = 4096;

Method MethodOf(beast_http::verb verb) {
  if (verb == beast_http::verb::get) return Method::kGet;
  if (verb == beast_http::verb::head) return Method::kHead;
  if (verb == beast_http::verb::put) return Method::kPut;
  if (verb == beast_http::verb::post) return Method::kPost;
  if (verb == beast_http::verb::delete_) return Method::kDelete;
  if (verb == beast_http::verb::options) return Method::kOptions;
  return Method::kOther;
}

// "http://host/path" is "/path" to us.
string_view OriginForm(string_view target) {
  constexpr string_view kSchemeEnd = "://";
  if (target.starts_with('/')) return target;
  const std::size_t scheme = target.find(kSchemeEnd);
  if (scheme == string_view::npos) return target;
  const std::size_t path = target.find('/', scheme + kSchemeEnd.size());
  return path == string_view::npos ? string_view("/") : target.substr(path);
}

// Keeps what the project needs of a message and drops the rest as it comes by.
class Parser final : public beast_http::basic_parser<true> {
 public:
  Parser(ParsedRequest& request, ByteBudget* large)
      : body(request.body, large), request_(request) {}

  bool continue_wanted = false;
  bool encoding_unknown = false;
  bool lines_too_many = false;
  bool no_room = false;
  ArrivingBody body;

  [[nodiscard]] std::optional<std::uint64_t> declared() const {
    const auto bytes = content_length();
    return bytes ? std::optional<std::uint64_t>(*bytes) : std::nullopt;
  }

 private:
  using ErrorCode = boost::system::error_code;

  void on_request_impl(beast_http::verb verb, string_view, string_view target, int version,
                       ErrorCode&) override {
    request_.method = MethodOf(verb);
    const string_view origin = OriginForm(target);
    request_.target.assign(origin.data(), origin.size());
    request_.is_http_1_0 = version < kHttp11;
  }

  void on_field_impl(beast_http::field name, string_view name_text, string_view value,
                     ErrorCode& error) override {
    if (is_header_done()) return;  // a trailer
    if (!request_.headers.Add({name_text.data(), name_text.size()}, {value.data(), value.size()})) {
      lines_too_many = true;
      error = beast_http::error::header_limit;
      return;
    }
    if (name == beast_http::field::transfer_encoding) {
      // Beast takes a request with another encoding for one without a body, and its body for the
      // next request.
      encoding_unknown = !iequals(value, kChunked);
      if (encoding_unknown || request_.is_http_1_0) {
        error = beast_http::error::bad_transfer_encoding;
      }
    } else if (name == beast_http::field::expect) {
      continue_wanted = iequals(value, kExpectContinue) && !request_.is_http_1_0;
    }
  }

  void on_header_impl(ErrorCode&) override { request_.keep_alive = keep_alive(); }

  std::size_t on_body_impl(string_view bytes, ErrorCode& error) override {
    continue_wanted = false;
    const ArrivingBody::Says says = body.Append({bytes.data(), bytes.size()}, declared());
    no_room = says == ArrivingBody::Says::kNoRoom;
    if (says != ArrivingBody::Says::kFine) error = beast_http::error::body_limit;
    return bytes.size();
  }

  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, ErrorCode& error) override {
    return on_body_impl(bytes, error);
  }

  void on_response_impl(int, string_view, int, ErrorCode&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  void on_chunk_header_impl(std::uint64_t, string_view, ErrorCode&) override {}
  void on_finish_impl(ErrorCode&) override { continue_wanted = false; }

  ParsedRequest& request_;
};

}  // namespace

Request ParsedRequest::Borrowed() const {
  const std::string_view text = target;
  const std::size_t mark = std::min(text.find('?'), text.size());
  Request borrowed;
  borrowed.method = method;
  borrowed.path = text.substr(0, mark);
  borrowed.query = text.substr(std::min(mark + 1, text.size()));
  borrowed.body = body;
  borrowed.headers = &headers;
  return borrowed;
}

struct RequestParser::Impl {
  Impl(std::size_t header_max, ByteBudget* large_bodies)
      : header_bytes_max(header_max), large(large_bodies) {}

  Parser& Begin() {
    request.headers.Clear();
    DropBody();
    parser.emplace(request, large);
    parser->header_limit(static_cast<std::uint32_t>(header_bytes_max));
    parser->body_limit(kAnyLength);
    header_bytes = 0;
    return *parser;
  }

  void DropBody() {
    request.body.clear();
    if (request.body.capacity() > kBodyBytesKept) request.body.shrink_to_fit();
    if (parser) parser->body.room().reset();
  }

  // Beast holds parts of a header, and none of a chunk's, to the limit: it sees no more at once
  // than either may have.
  std::size_t Put(Parser& to, std::string_view bytes) {
    std::size_t taken = 0;
    for (bool more = true; more;) {
      const std::size_t room = header_bytes_max - (to.is_header_done() ? 0 : header_bytes);
      const std::string_view piece = bytes.substr(taken, room);
      const std::size_t consumed = to.put({piece.data(), piece.size()}, error);
      taken += consumed;
      more = !IsFailed() && !to.is_done() && to.eager() && consumed > 0 && taken < bytes.size();
    }
    return taken;
  }

  [[nodiscard]] bool IsFailed() const { return error && error != beast_http::error::need_more; }

  // The header, or a chunk's header, has to fit its limit.
  [[nodiscard]] bool IsHeaderTooLarge(const Parser& of, std::size_t consumed, std::size_t left) {
    if (!of.is_header_done()) header_bytes += consumed;
    const std::size_t before = of.is_header_done() ? 0 : header_bytes;
    return before + left > header_bytes_max;
  }

  // Of the request that has begun and is not complete; null when there is none.
  [[nodiscard]] Parser* Unfinished() noexcept {
    return parser && !parser->is_done() ? &*parser : nullptr;
  }

  const std::size_t header_bytes_max;
  ByteBudget* const large;
  std::size_t header_bytes = 0;
  ParsedRequest request;
  std::optional<Parser> parser;
  boost::system::error_code error;
};

RequestParser::RequestParser(std::size_t header_bytes_max, ByteBudget* large)
    : impl_(std::make_unique<Impl>(header_bytes_max, large)) {}
RequestParser::~RequestParser() = default;

RequestParser::Progress RequestParser::Put(std::string_view bytes) {
  std::size_t blank = 0;
  Parser* parser = impl_->Unfinished();
  if (parser == nullptr) {
    // An empty line before a request is to be ignored (RFC 9112, 2.2).
    blank = std::min(bytes.find_first_not_of("\r\n"), bytes.size());
    bytes.remove_prefix(blank);
    if (bytes.empty()) return {State::kNeedMore, blank};
    parser = &impl_->Begin();
  }
  const std::size_t taken = impl_->Put(*parser, bytes);
  const Progress progress{State::kNeedMore, blank + taken};
  if (impl_->IsFailed()) return {State::kFailed, progress.consumed};
  if (parser->is_done()) return {State::kComplete, progress.consumed};
  if (parser->is_header_done() && !parser->eager()) return {State::kHead, progress.consumed};
  if (impl_->IsHeaderTooLarge(*parser, taken, bytes.size() - taken)) {
    impl_->error = beast_http::error::header_limit;
    return {State::kFailed, progress.consumed};
  }
  return progress;
}

std::optional<std::uint64_t> RequestParser::body_bytes() const { return impl_->parser->declared(); }

// From then on the parser takes all that there is.
void RequestParser::TakeBody(std::size_t bytes_max, ByteBudget::Owner owner) {
  impl_->parser->body.Take(bytes_max, owner);
  impl_->parser->body_limit(bytes_max);  // of a chunk's header
  impl_->parser->eager(true);
}

void RequestParser::SkipBody() {
  impl_->parser->body.Skip();
  impl_->parser->eager(true);
}

bool RequestParser::is_continue_wanted() const noexcept {
  return impl_->parser && impl_->parser->continue_wanted;
}

bool RequestParser::IsWithinRequest() const noexcept { return impl_->Unfinished() != nullptr; }

bool RequestParser::TakeContinueWanted() {
  Parser* parser = impl_->Unfinished();
  return parser != nullptr && parser->is_header_done() &&
         std::exchange(parser->continue_wanted, false);
}

const ParsedRequest& RequestParser::request() const noexcept { return impl_->request; }

Request RequestParser::Whole() {
  struct Kept {
    std::string body;
    ByteBudget::Room room;
  };
  Request whole = impl_->request.Borrowed();
  if (whole.body.size() <= ArrivingBody::kUncountedMax) return whole;
  const auto kept = std::make_shared<const Kept>(
      Kept{std::move(impl_->request.body), std::move(impl_->parser->body.room())});
  whole.body = kept->body;
  whole.body_kept = kept;
  return whole;
}

void RequestParser::DropBody() { impl_->DropBody(); }

RequestParser::Failure RequestParser::failure() const {
  const std::optional<Parser>& parser = impl_->parser;
  if (parser && parser->lines_too_many) {
    return {problems::kHeadersTooLarge,
            "more than " + std::to_string(Headers::kLinesMax) + " lines"};
  }
  if (parser && parser->no_room) {
    return {problems::kOverloaded, "too many large bodies are arriving"};
  }
  if (impl_->error == beast_http::error::header_limit) {
    return {problems::kHeadersTooLarge,
            "more than " + std::to_string(impl_->header_bytes_max) + " bytes"};
  }
  if (impl_->error == beast_http::error::body_limit) {
    return {problems::kBodyTooLarge,
            "more than " + std::to_string(parser->body.bytes_max()) + " bytes"};
  }
  if (parser && parser->encoding_unknown) {
    return {problems::kNotImplemented, "the only Transfer-Encoding is chunked"};
  }
  return {problems::kInvalidArgument, "not HTTP/1.1: " + impl_->error.message()};
}

}  // namespace fanfold::http
