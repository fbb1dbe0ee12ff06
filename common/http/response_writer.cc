#include "common/http/response_writer.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

#include "common/base/clock.h"
#include "common/http/status.h"

namespace fanfold::http {
namespace {

constexpr char kLastControlCharacter = 0x1f;

std::string_view ReasonOf(int status) noexcept {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "Status";
  }
}

void AppendNumber(std::size_t number, std::string& out) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

// A value never ends its line: what follows would be read as a header, or as another answer.
void AppendHeader(std::string_view name, std::string_view value, std::string& out) {
  out.append("\r\n").append(name).append(": ");
  const std::size_t begin = out.size();
  out.append(value);
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
      [](char c) { return c >= 0 && c <= kLastControlCharacter; }, ' ');
}

// As RFC 9110, 5.6.7, has it; made once a second.
std::string_view DateNow() {
  thread_local std::time_t made = -1;
  thread_local std::array<char, 32> text;
  thread_local std::size_t size = 0;
  const std::time_t now = TickClock().NowMs() / kMsPerSecond;
  if (now != made) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    made = now;
  }
  return {text.data(), size};
}

void AppendLength(const Response& response, std::string& out) {
  if (!response.tells_length) return;
  out.append("\r\nContent-Length: ");
  AppendNumber(response.length.value_or(response.body.size()), out);
}

}  // namespace

void AppendResponse(const Answered& answer, std::string& out) {
  const Response& response = answer.response;
  const bool may_have_body = response.status != kNoContent && response.status != kNotModified;
  out.append("HTTP/1.1 ");
  AppendNumber(static_cast<std::size_t>(response.status), out);
  out.append(" ").append(ReasonOf(response.status));
  if (may_have_body) {
    AppendHeader("Content-Type", response.content_type, out);
    if (!response.stream || response.length) {
      AppendLength(response, out);
    } else if (!answer.traits.is_http_1_0) {
      out.append("\r\nTransfer-Encoding: chunked");
    }
  }
  out.append("\r\nDate: ").append(DateNow());
  for (const auto& [name, value] : response.headers) AppendHeader(name, value, out);
  const bool ends_with_connection =
      IsStreamed(answer) && !response.length && answer.traits.is_http_1_0;
  if (!answer.traits.keep_alive || ends_with_connection) {
    out.append("\r\nConnection: close");
  } else if (answer.traits.is_http_1_0) {
    out.append("\r\nConnection: keep-alive");
  }
  out.append("\r\n\r\n");
  if (IsStreamed(answer)) {
    AppendPart(response.body, !answer.traits.is_http_1_0, out);
  } else if (may_have_body && !answer.traits.without_body) {
    out.append(response.body);
  }
}

void AppendPart(std::string_view bytes, bool chunked, std::string& out) {
  if (bytes.empty()) return;  // an empty chunk would be the last one
  if (chunked) fmt::format_to(std::back_inserter(out), "{:x}\r\n", bytes.size());
  out.append(bytes);
  if (chunked) out.append("\r\n");
}

void AppendEnd(bool chunked, std::string& out) {
  if (chunked) out.append("0\r\n\r\n");
}

}  // namespace fanfold::http
