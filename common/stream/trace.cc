#include "common/stream/trace.h"

#include <algorithm>

#include "common/stream/event_id.h"

namespace fanfold {
namespace {

constexpr std::string_view kRequestId = R"(,"request_id":")";
constexpr std::string_view kTraceparent = R"(,"traceparent":")";

// 00-TRACE-PARENT-FLAGS, in lower hexadecimal digits.
constexpr std::string_view kTraceVersion = "00-";
constexpr std::size_t kTraceIdAt = 3;
constexpr std::size_t kTraceIdSize = 32;
constexpr std::size_t kParentIdAt = kTraceIdAt + kTraceIdSize + 1;
constexpr std::size_t kParentIdSize = 16;
constexpr std::size_t kFlagsAt = kParentIdAt + kParentIdSize + 1;
constexpr std::size_t kTraceparentSize = kFlagsAt + 2;
static_assert(kTraceparentSize <= kTraceBytesMax && kEventIdBytesMax == kTraceBytesMax);

bool IsHex(std::string_view text) noexcept {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// An id of zeros is none.
bool IsId(std::string_view text) noexcept {
  return IsHex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

std::string_view QuotedAfter(std::string_view name, std::string_view fields) noexcept {
  const std::size_t found = fields.find(name);
  if (found == std::string_view::npos) return {};
  fields.remove_prefix(found + name.size());
  return fields.substr(0, fields.find('"'));
}

}  // namespace

bool IsRequestId(std::string_view text) noexcept { return IsEventId(text); }

bool IsTraceparent(std::string_view text) noexcept {
  return text.size() == kTraceparentSize && text.starts_with(kTraceVersion) &&
         IsId(text.substr(kTraceIdAt, kTraceIdSize)) && text[kParentIdAt - 1] == '-' &&
         IsId(text.substr(kParentIdAt, kParentIdSize)) && text[kFlagsAt - 1] == '-' &&
         IsHex(text.substr(kFlagsAt));
}

Trace::Trace(std::string_view request_id, std::string_view traceparent) {
  if (IsRequestId(request_id)) fields_.append(kRequestId).append(request_id).append("\"");
  if (IsTraceparent(traceparent)) fields_.append(kTraceparent).append(traceparent).append("\"");
}

std::string_view Trace::request_id() const noexcept {
  return fields_.starts_with(kRequestId) ? QuotedAfter(kRequestId, fields_) : std::string_view();
}

std::string_view Trace::traceparent() const noexcept { return QuotedAfter(kTraceparent, fields_); }

bool Trace::Scan(CanonicalScanner& scan) {
  std::string_view request_id;
  std::string_view traceparent;
  if (scan.Literal(kRequestId) && !(scan.StringBody(request_id) && IsRequestId(request_id))) {
    return false;
  }
  if (scan.Literal(kTraceparent) && !(scan.StringBody(traceparent) && IsTraceparent(traceparent))) {
    return false;
  }
  *this = Trace(request_id, traceparent);
  return true;
}

Trace TraceOf(const RecordFields& fields) {
  return {fields.TextIfAny("request_id"), fields.TextIfAny("traceparent")};
}

}  // namespace fanfold
