#include "common/stream/record_fields.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/stream/event_id.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

bool IsNumber(const Json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= kUserIdMax;
}

}  // namespace

struct RecordFields::Document {
  Json json;

  // Null when there is none.
  [[nodiscard]] const Json* Find(std::string_view name) const {
    const Json* at = &json;
    while (at->is_object()) {
      const std::size_t slash = name.find('/');
      const auto found = at->find(std::string(name.substr(0, slash)));
      if (found == at->end()) return nullptr;
      at = &*found;
      if (slash == std::string_view::npos) return at;
      name.remove_prefix(slash + 1);
    }
    return nullptr;
  }

  // Null when there is none; refuses it.
  [[nodiscard]] const Json* Need(std::string_view name, RecordFields& fields) const {
    const Json* field = Find(name);
    if (field == nullptr) {
      fields.Refuse(ParkReason::kMissingField, fmt::format("{} is missing", name));
    }
    return field;
  }
};

RecordFields::RecordFields(std::unique_ptr<Document> document) : document_(std::move(document)) {}
RecordFields::RecordFields(RecordFields&& other) noexcept = default;
RecordFields& RecordFields::operator=(RecordFields&& other) noexcept = default;
RecordFields::~RecordFields() = default;

std::expected<RecordFields, Unreadable> RecordFields::Parse(std::string_view value,
                                                            std::int64_t version_max) {
  if (value.size() > kRecordBytesMax) {
    return CannotRead(ParkReason::kTooLarge,
                      fmt::format("{} bytes, at most {}", value.size(), kRecordBytesMax));
  }
  // The parser takes a NUL for the end of the text and would not look at what stands behind it.
  if (value.contains('\0')) return CannotRead(ParkReason::kMalformed, "a NUL byte");
  Json json = Json::parse(value, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return CannotRead(ParkReason::kMalformed, "not a JSON object");
  RecordFields fields(std::make_unique<Document>(std::move(json)));
  const std::int64_t version = fields.Number("v");
  if (version > version_max) {
    fields.Refuse(ParkReason::kFutureVersion,
                  fmt::format("v is {}, this build reads up to {}", version, version_max));
  }
  if (version < 1) fields.Refuse(ParkReason::kInvalidField, "v is not 1 or above");
  if (!fields.ok()) return fields.Wrong();
  return fields;
}

std::unexpected<Unreadable> RecordFields::Wrong() {
  const Json* id = document_->Find("event_id");
  const bool readable = id != nullptr && id->is_string() && IsEventId(id->get<std::string>());
  if (readable) wrong_->event_id = id->get<std::string>();
  return std::unexpected(std::move(*wrong_));
}

void RecordFields::Refuse(ParkReason reason, std::string detail) {
  if (!wrong_) wrong_ = Unreadable{reason, std::move(detail), {}};
}

bool RecordFields::Has(std::string_view name) const { return document_->Find(name) != nullptr; }

std::string RecordFields::Text(std::string_view name) {
  const Json* field = document_->Need(name, *this);
  if (field == nullptr) return {};
  if (field->is_string()) return field->get<std::string>();
  Refuse(ParkReason::kInvalidField, fmt::format("{} is not a string", name));
  return {};
}

std::int64_t RecordFields::Number(std::string_view name) {
  const Json* field = document_->Need(name, *this);
  if (field == nullptr) return 0;
  if (IsNumber(*field)) return field->get<std::int64_t>();
  Refuse(ParkReason::kInvalidField, fmt::format("{} is not an integer 0 … 2^63-1", name));
  return 0;
}

std::uint64_t RecordFields::Id(std::string_view name, std::string_view what) {
  const std::string text = Text(name);
  if (!ok()) return 0;
  const std::optional<UserId> id = ParseUserId(text);
  if (!id) Refuse(ParkReason::kInvalidId, fmt::format("{} is not {}", name, what));
  return id.value_or(UserId()).value;
}

UserId RecordFields::User(std::string_view name) { return UserId(Id(name, "a user id")); }

std::optional<Position> RecordFields::PositionOf(std::string_view name) {
  const std::string text = Text(name);
  if (!ok()) return std::nullopt;
  const std::optional<Position> position = ParsePosition(text);
  if (!position) Refuse(ParkReason::kInvalidField, fmt::format("{} is not a position", name));
  return position;
}

void RecordFields::NeedObject(std::string_view name) {
  const Json* field = document_->Need(name, *this);
  if (field == nullptr || field->is_object()) return;
  Refuse(ParkReason::kInvalidField, fmt::format("{} is not an object", name));
}

std::string RecordFields::EventId() {
  if (!Has("event_id")) return {};
  std::string id = Text("event_id");
  if (ok() && !IsEventId(id)) {
    Refuse(ParkReason::kInvalidField, "event_id is not 1 … 64 printable characters");
  }
  return ok() ? id : std::string();
}

std::string RecordFields::TextIfAny(std::string_view name) const {
  const Json* field = document_->Find(name);
  return field != nullptr && field->is_string() ? field->get<std::string>() : std::string();
}

std::optional<std::string> RecordFields::TextOrNull(std::string_view name, std::size_t bytes_max) {
  const Json* field = document_->Find(name);
  if (field == nullptr || field->is_null()) return std::nullopt;
  std::string text = Text(name);
  if (text.size() <= bytes_max) return text;
  Refuse(ParkReason::kInvalidField,
         fmt::format("{} has {} bytes, at most {}", name, text.size(), bytes_max));
  return std::nullopt;
}

bool RecordFields::Flag(std::string_view name) {
  const Json* field = document_->Find(name);
  if (field == nullptr) return false;
  if (!field->is_boolean()) {
    Refuse(ParkReason::kInvalidField, fmt::format("{} is not true or false", name));
  }
  return field->is_boolean() && field->get<bool>();
}

std::vector<std::int64_t> RecordFields::Numbers(std::string_view name, std::size_t count_max) {
  const Json* field = document_->Find(name);
  if (field == nullptr) return {};
  if (field->is_array() && field->size() <= count_max && std::ranges::all_of(*field, IsNumber)) {
    return field->get<std::vector<std::int64_t>>();
  }
  Refuse(ParkReason::kInvalidField,
         fmt::format("{} is not a list of at most {} integers 0 … 2^63-1", name, count_max));
  return {};
}

}  // namespace fanfold
