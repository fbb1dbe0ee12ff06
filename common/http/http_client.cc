#include "common/http/http_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <thread>
#include <utility>

#include "common/http/page_access.h"

namespace fanfold::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

// Services look at their files twice a second.
constexpr std::chrono::milliseconds kUntilShown{700};

using Tls = beast::ssl_stream<beast::tcp_stream&>;
using Message = beast::http::request<beast::http::string_body>;

std::string_view ViewOf(beast::string_view text) { return {text.data(), text.size()}; }

// What stands behind it, whoever signed it, is nobody to be trusted here.
void TrustFirstAlone(asio::ssl::context& trust, const std::string& file,
                     boost::system::error_code& error) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> in(BIO_new_file(file.c_str(), "r"), BIO_free);
  const std::unique_ptr<X509, decltype(&X509_free)> first(
      in ? PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr) : nullptr, X509_free);
  const bool trusted =
      first && X509_STORE_add_cert(SSL_CTX_get_cert_store(trust.native_handle()), first.get()) == 1;
  if (!trusted) error = make_error_code(boost::system::errc::no_such_file_or_directory);
}

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

  // A certificate that is exchanged stands in its file before it is shown.
  Status Connect() {
    Status connected = ConnectOnce();
    const bool is_exchanged = to.tls && to.name.empty() && !to.ca_file.empty() && !connected &&
                              connected.error().code == ErrorCode::kRefused;
    if (!is_exchanged || until - std::chrono::steady_clock::now() <= kUntilShown) return connected;
    std::this_thread::sleep_for(kUntilShown);
    return ConnectOnce();
  }

  Status ConnectOnce() {
    Error error;
    const asio::ip::address address = asio::ip::make_address(to.host, error);
    if (error) return Fail(ErrorCode::kInvalidArgument, fmt::format("{} is no address", to.host));
    stream.emplace(context);
    stream->expires_at(until);
    const asio::ip::tcp::endpoint endpoint(address, to.port);
    error = Await([&](auto done) { stream->async_connect(endpoint, std::move(done)); });
    const bool reached = !error;
    if (reached && to.tls) error = Shake();
    if (!error) return {};
    Drop();
    return Fail(reached ? ErrorCode::kRefused : ErrorCode::kUnavailable,
                fmt::format("{}:{}: {}", HostOf(to.host), to.port, error.message()));
  }

  Error Shake() {
    Error error;
    trust.emplace(asio::ssl::context::tls_client);
    trust->set_verify_mode(asio::ssl::verify_peer);
    if (to.ca_file.empty()) {
      trust->set_default_verify_paths(error);
    } else if (to.name.empty()) {
      TrustFirstAlone(*trust, to.ca_file, error);
    } else {
      trust->load_verify_file(to.ca_file, error);
    }
    if (error) return error;
    tls.emplace(*stream, *trust);
    if (to.name.empty()) {
      X509_VERIFY_PARAM_set_flags(SSL_get0_param(tls->native_handle()), X509_V_FLAG_PARTIAL_CHAIN);
    } else {
      SSL_set_tlsext_host_name(tls->native_handle(), to.name.c_str());
      tls->set_verify_callback(asio::ssl::host_name_verification(to.name));
    }
    return Await(
        [&](auto done) { tls->async_handshake(asio::ssl::stream_base::client, std::move(done)); });
  }

  void Drop() {
    tls.reset();
    stream.reset();
  }

  [[nodiscard]] Message Asking(beast::http::verb method, std::string_view target) const {
    Message request(method, beast::string_view(target.data(), target.size()), 11);
    request.set(beast::http::field::host, HostOf(to.name.empty() ? to.host : to.name));
    if (!to.token.empty()) request.set(beast::http::field::authorization, "Bearer " + to.token);
    return request;
  }

  Result<ClientResponse> Exchange(Message& request) {
    until = std::chrono::steady_clock::now() + timeout;
    if (!stream) {
      if (Status connected = Connect(); !connected) return Forward(connected);
    }
    return tls ? Exchange(*tls, request) : Exchange(*stream, request);
  }

  template <class Stream>
  Result<ClientResponse> Exchange(Stream& on, Message& request) {
    stream->expires_at(until);
    beast::flat_buffer buffer;
    beast::http::response_parser<beast::http::string_body> parser;
    parser.body_limit(kBodyBytesMax);
    Error error = Await([&](auto done) { beast::http::async_write(on, request, std::move(done)); });
    if (!error) {
      error =
          Await([&](auto done) { beast::http::async_read(on, buffer, parser, std::move(done)); });
    }
    if (error) {
      Drop();
      return Fail(ErrorCode::kUnknown,
                  fmt::format("{}:{}: {}", HostOf(to.host), to.port, error.message()));
    }
    const bool stays = parser.get().keep_alive();
    ClientResponse response{static_cast<int>(parser.get().result_int()),
                            std::move(parser.get().body())};
    const beast::string_view wait = parser.get()[beast::http::field::retry_after];
    std::from_chars(wait.data(), wait.data() + wait.size(), response.retry_after_s);
    for (const auto& field : parser.get()) {
      (void)response.headers.Add(ViewOf(field.name_string()), ViewOf(field.value()));
    }
    if (!stays) Drop();
    return response;
  }

  HttpEndpoint to;
  std::chrono::milliseconds timeout;
  std::chrono::steady_clock::time_point until;  // of the call under way
  asio::io_context context{1};
  std::optional<beast::tcp_stream> stream;
  std::optional<asio::ssl::context> trust;
  std::optional<Tls> tls;  // over the stream
};

HttpClient::HttpClient(HttpEndpoint endpoint, std::int64_t timeout_ms)
    : impl_(std::make_unique<Impl>()) {
  impl_->to = std::move(endpoint);
  impl_->timeout = std::chrono::milliseconds(timeout_ms);
}

HttpClient::~HttpClient() = default;

Result<ClientResponse> HttpClient::Post(std::string_view path, std::string_view json) {
  Message request = impl_->Asking(beast::http::verb::post, path);
  request.set(beast::http::field::content_type, "application/json");
  request.body() = json;
  request.prepare_payload();
  return impl_->Exchange(request);
}

Result<ClientResponse> HttpClient::Get(std::string_view target, std::span<const Header> more) {
  Message request = impl_->Asking(beast::http::verb::get, target);
  for (const auto& [name, value] : more) request.set(name, value);
  return impl_->Exchange(request);
}

}  // namespace fanfold::http
