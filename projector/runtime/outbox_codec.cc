#include "projector/runtime/outbox_codec.h"

#include <charconv>
#include <system_error>

namespace fanfold::projector {
namespace {

constexpr std::string_view kNullKey = "-,";
constexpr char kHeaders = 'h';

void AppendNetstring(std::string& row, std::string_view bytes) {
  char digits[20];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, bytes.size());
  row.append(digits, end);
  row += ':';
  row += bytes;
  row += ',';
}

std::optional<std::string_view> TakeNetstring(std::string_view& row) noexcept {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(row.data(), row.data() + row.size(), length);
  const auto digits = static_cast<std::size_t>(end - row.data());
  const bool framed = error == std::errc() && digits < row.size() && row[digits] == ':' &&
                      length < row.size() - digits - 1 && row[digits + 1 + length] == ',';
  if (!framed) return std::nullopt;
  const std::string_view bytes = row.substr(digits + 1, length);
  row.remove_prefix(digits + 1 + length + 1);
  return bytes;
}

}  // namespace

void AppendOutboxRecord(std::string& row, const OutboxRecord& record) {
  if (!record.headers.empty()) {
    row += kHeaders;
    AppendNetstring(row, record.headers);
  }
  if (record.key) {
    AppendNetstring(row, record.key->substr(0, kOutcomeKeyBytesMax));
  } else {
    row += kNullKey;
  }
  AppendNetstring(row, record.value);
}

std::optional<OutboxRecord> TakeOutboxRecord(std::string_view& row) noexcept {
  std::string_view rest = row;
  OutboxRecord record;
  if (rest.starts_with(kHeaders)) {
    rest.remove_prefix(1);
    const std::optional<std::string_view> headers = TakeNetstring(rest);
    if (!headers) return std::nullopt;
    record.headers = *headers;
  }
  if (rest.starts_with(kNullKey)) {
    rest.remove_prefix(kNullKey.size());
  } else {
    record.key = TakeNetstring(rest);
    if (!record.key) return std::nullopt;
    record.key = record.key->substr(0, kOutcomeKeyBytesMax);
  }
  const std::optional<std::string_view> value = TakeNetstring(rest);
  if (!value) return std::nullopt;
  record.value = *value;
  row = rest;
  return record;
}

}  // namespace fanfold::projector
