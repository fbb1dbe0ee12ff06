#include "common/http/http_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "common/http/page_access.h"

namespace fanfold::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

}  // namespace

struct HttpClient::Impl {
  using Error = boost::system::error_code;

  // Runs one asynchronous call to its end, which the stream's expiry bounds.
  template <class Start>
  Error Await(Start start) {
    Error result = asio::error::operation_aborted;
    start([&result](Error error, auto&&...) { result = error; });
    context.restart();
    context.run();
    return result;
  }

  Status Connect() {
    Error error;
    const asio::ip::address address = asio::ip::make_address(to.host, error);
    if (error) return Fail(ErrorCode::kInvalidArgument, fmt::format("{} is no address", to.host));
    stream.emplace(context);
    stream->expires_after(timeout);
    const asio::ip::tcp::endpoint endpoint(address, to.port);
    error = Await([&](auto done) { stream->async_connect(endpoint, std::move(done)); });
    if (!error) return {};
    stream.reset();
    return Fail(ErrorCode::kUnavailable,
                fmt::format("{}:{}: {}", to.host, to.port, error.message()));
  }

  Result<ClientResponse> Exchange(beast::http::request<beast::http::string_body>& request) {
    stream->expires_after(timeout);
    beast::flat_buffer buffer;
    beast::http::response_parser<beast::http::string_body> parser;
    parser.body_limit(kBodyBytesMax);
    Error error =
        Await([&](auto done) { beast::http::async_write(*stream, request, std::move(done)); });
    if (!error) {
      error = Await(
          [&](auto done) { beast::http::async_read(*stream, buffer, parser, std::move(done)); });
    }
    if (error) {
      stream.reset();
      return Fail(ErrorCode::kUnknown, fmt::format("{}:{}: {}", to.host, to.port, error.message()));
    }
    const bool stays = parser.get().keep_alive();
    ClientResponse response{static_cast<int>(parser.get().result_int()),
                            std::move(parser.get().body())};
    if (!stays) stream.reset();
    return response;
  }

  HttpEndpoint to;
  std::chrono::milliseconds timeout;
  asio::io_context context{1};
  std::optional<beast::tcp_stream> stream;
};

HttpClient::HttpClient(HttpEndpoint endpoint, std::int64_t timeout_ms)
    : impl_(std::make_unique<Impl>()) {
  impl_->to = std::move(endpoint);
  impl_->timeout = std::chrono::milliseconds(timeout_ms);
}

HttpClient::~HttpClient() = default;

Result<ClientResponse> HttpClient::Post(std::string_view path, std::string_view json) {
  if (!impl_->stream) {
    if (Status connected = impl_->Connect(); !connected) return Forward(connected);
  }
  beast::http::request<beast::http::string_body> request(
      beast::http::verb::post, beast::string_view(path.data(), path.size()), 11);
  request.set(beast::http::field::host, HostOf(impl_->to.host));
  request.set(beast::http::field::content_type, "application/json");
  if (!impl_->to.token.empty()) {
    request.set(beast::http::field::authorization, "Bearer " + impl_->to.token);
  }
  request.body() = json;
  request.prepare_payload();
  return impl_->Exchange(request);
}

}  // namespace fanfold::http
