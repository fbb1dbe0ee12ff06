// By what a request can be found again: what its sender called it. Told back in its answer, kept in
// its event and in the event's outcome. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/stream/canonical_scanner.h"
#include "common/stream/record_fields.h"

namespace fanfold {

inline constexpr std::size_t kTraceBytesMax = 64;  // of each

// 1 … kTraceBytesMax printable characters of ASCII, no quote or backslash.
[[nodiscard]] bool IsRequestId(std::string_view text) noexcept;
// As W3C's Trace Context has it (https://www.w3.org/TR/trace-context/, 3.2), version 00: what is
// not so is to be ignored.
[[nodiscard]] bool IsTraceparent(std::string_view text) noexcept;

// Mostly empty, so it is small then. Thread-compatible.
class Trace {
 public:
  Trace() = default;
  // Leaves out what is not valid.
  Trace(std::string_view request_id, std::string_view traceparent);

  [[nodiscard]] bool empty() const noexcept { return fields_.empty(); }
  // Empty: there is none.
  [[nodiscard]] std::string_view request_id() const noexcept;
  [[nodiscard]] std::string_view traceparent() const noexcept;
  // As a record ends with them: `,"request_id":"…","traceparent":"…"`, each where there is one.
  [[nodiscard]] std::string_view fields() const noexcept { return fields_; }

  // Takes what stands next, if it is fields() of any trace. False: Trace would not write it.
  [[nodiscard]] bool Scan(CanonicalScanner& scan);

  friend bool operator==(const Trace&, const Trace&) = default;

 private:
  std::string fields_;
};

// The trace of anybody's record: invalid fields count as absent.
[[nodiscard]] Trace TraceOf(const RecordFields& fields);

}  // namespace fanfold
