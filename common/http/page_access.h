// Keeps pages from using a browser that reaches this process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/http/wrapper.h"

namespace fanfold::http {

struct AccessRules {
  std::string bind = "127.0.0.1";  // the address that is listened on
  // Names this is reached by, without ports, beside any address; none: any name. Bound to loopback
  // they are not looked at: there only loopback names are hosts.
  std::vector<std::string> hosts;
  std::vector<std::string> origins;  // of pages that may ask: "https://app.example.com"
};

// Does whoever watches over processes ask it, who knows no host, no token and no limit?
[[nodiscard]] bool IsProbe(std::string_view path) noexcept;

// An address as it stands in a Host: one of IPv6 in brackets.
[[nodiscard]] std::string HostOf(const std::string& address);

// Is an Origin one of pages of this Host?
[[nodiscard]] bool IsOriginOf(std::string_view host, std::string_view origin) noexcept;

// Pure but for the calls of what is behind it.
// - A request names one host, and one of this process: else 400. /healthz and /readyz are exempt.
// - A write of a page (it has an `Origin`) is one of a page of the same host, or of an origin that
//   is named: else 403 origin_refused. A host that might be any name makes no page its own.
// - Answers to an origin that is named, preflights included, say so (CORS).
[[nodiscard]] Wrapper OwnHostsAndPages(AccessRules rules);
// A write's body is JSON, and no body is compressed: else 415, told to those who are known. A page
// of another origin can send no JSON unasked.
[[nodiscard]] Wrapper JsonBodies();

}  // namespace fanfold::http
