// One connection to an HTTP server, one request at a time: for tools and tests, not for services.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/http/headers.h"
#include "common/http/http_server.h"

namespace fanfold::http {

struct ClientResponse {
  int status = 0;
  std::string body;
  std::int64_t retry_after_s = 0;  // what Retry-After says; 0: nothing
  Headers headers = {};
};

struct HttpEndpoint {
  std::string host;
  std::uint16_t port = 0;
  std::string token = {};  // shown with each request; empty: none
  bool tls = false;
  std::string ca_file = {};  // of those who may have signed its certificate; empty: the system's
  // The certificate's; empty: the first in `ca_file` is that very certificate.
  std::string name = {};
};

// Thread-compatible.
class HttpClient {
 public:
  static constexpr std::size_t kBodyBytesMax = 64 * 1024 * 1024;

  // Each call, connecting included, takes at most timeout_ms.
  HttpClient(HttpEndpoint endpoint, std::int64_t timeout_ms);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Connects where it is not connected, twice where the very certificate that is trusted is not
  // shown: 700 ms later it may be. Errors: kUnavailable, nobody was there; kRefused, somebody
  // whose certificate is not to be trusted; kUnknown, it was sent, and no whole answer came.
  [[nodiscard]] Result<ClientResponse> Post(std::string_view path, std::string_view json);
  // The same of what is read. `target`: the path, with its query. `more`: besides Host and
  // Authorization.
  [[nodiscard]] Result<ClientResponse> Get(std::string_view target,
                                           std::span<const Header> more = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fanfold::http
