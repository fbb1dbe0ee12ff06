// Pieces of bodies in JSON, whatever library's `Json` it is. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/json_text.h"
#include "writer/command.h"
#include "writer/command_policy.h"

namespace fanfold::writer {

[[nodiscard]] inline std::unexpected<Refusal> Invalid(std::string detail) {
  return Refuse(RefusalCode::kInvalidArgument, std::move(detail));
}

// Errors: kInvalidArgument; kBatchTooLarge above bounds.values_max.
template <class Json>
[[nodiscard]] std::expected<Json, Refusal> ParseJsonBody(std::string_view body,
                                                         const JsonBounds& bounds) {
  const Status checked = CheckJson(body, bounds);
  if (!checked) {
    const bool too_many = checked.error().code == ErrorCode::kOutOfRange;
    return Refuse(too_many ? RefusalCode::kBatchTooLarge : RefusalCode::kInvalidArgument,
                  "the body " + checked.error().message);
  }
  try {
    return Json::parse(body);
  } catch (const typename Json::parse_error& error) {
    return Invalid("the body is not JSON: byte " + std::to_string(error.byte) + " of " +
                   std::to_string(body.size()));
  } catch (const typename Json::out_of_range&) {
    return Invalid("the body has a number that is larger than any double");
  }
}

// Bounds of a batch: the object, its list, an event; one deeper, so that a wrong field spoils its
// event alone. Ten values of an event: the largest has eight fields.
inline constexpr JsonBounds kBatchBounds{.depth_max = 4, .values_max = 10 * kBatchEventsMax};

// The list of events, if the document has the shape of a batch of an allowed size.
template <class Json>
[[nodiscard]] std::expected<const Json*, Refusal> EventsOfBatch(const Json& document) {
  if (!document.is_object()) return Invalid("the body must be an object with the list events");
  const auto events = document.find("events");
  if (events == document.end()) return Invalid("events is missing");
  if (document.size() != 1) return Invalid("the body has a member beside events");
  if (!events->is_array()) return Invalid("events must be a list");
  if (auto refused = RefuseBatchSize(events->size())) return std::unexpected(std::move(*refused));
  return &*events;
}

// A decimal string or a JSON integer, 1 … 2^63−1.
template <class Json>
[[nodiscard]] std::optional<UserId> UserOf(const Json& value) {
  if (value.is_string()) return ParseUserId(value.template get_ref<const std::string&>());
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.template get<std::uint64_t>();
  if (number == 0 || number > kUserIdMax) return std::nullopt;
  return UserId(number);
}

// A JSON integer 0 … 2^63−1.
template <class Json>
[[nodiscard]] std::optional<std::int64_t> NonNegativeOf(const Json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.template get<std::uint64_t>();
  if (number > kUserIdMax) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

// An event's id in the form in which the writer draws them; empty where it is none.
inline constexpr std::string_view kEventIdWanted = "event_id must be 32 hexadecimal digits 0-9a-f";
template <class Json>
[[nodiscard]] std::string EventIdOf(const Json& value) {
  constexpr std::size_t kDigits = 32;
  if (!value.is_string()) return {};
  const auto& text = value.template get_ref<const std::string&>();
  const bool is_id =
      text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_id ? text : std::string();
}

// How much of a wrong member is quoted to its sender.
inline constexpr std::size_t kMemberShownMax = 40;
[[nodiscard]] inline std::string UnknownMember(std::string_view name) {
  return "unknown member \"" + std::string(name.substr(0, kMemberShownMax)) + '"';
}

}  // namespace fanfold::writer
