// The value of a record, whatever its stream: a JSON object with its version in "v".
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/stream/ids.h"
#include "common/stream/parking.h"
#include "common/stream/position.h"

namespace fanfold {

// Reads the fields of one record and keeps the first thing that is wrong with them: what is read
// after it, and of a field that is wrong, means nothing. "a/b" is the field b of the object a.
class RecordFields {
 public:
  // Errors: kTooLarge above kRecordBytesMax, kMalformed, kFutureVersion above `version_max`,
  // kMissingField and kInvalidField of "v".
  [[nodiscard]] static std::expected<RecordFields, Unreadable> Parse(std::string_view value,
                                                                     std::int64_t version_max);
  RecordFields(RecordFields&& other) noexcept;
  RecordFields& operator=(RecordFields&& other) noexcept;
  ~RecordFields();

  [[nodiscard]] bool ok() const noexcept { return !wrong_; }
  // What is wrong, with the record's id: whoever waits for the record, now parked, is told by it.
  // Requires: !ok().
  [[nodiscard]] std::unexpected<Unreadable> Wrong();
  void Refuse(ParkReason reason, std::string detail);

  [[nodiscard]] bool Has(std::string_view name) const;

  // Each of these has to be there.
  [[nodiscard]] std::string Text(std::string_view name);
  [[nodiscard]] std::int64_t Number(std::string_view name);  // 0 … 2^63−1
  // In the grammar of user ids, whatever has it: `what` says it, "the id of a post".
  [[nodiscard]] std::uint64_t Id(std::string_view name, std::string_view what);
  [[nodiscard]] UserId User(std::string_view name);
  [[nodiscard]] std::optional<Position> PositionOf(std::string_view name);
  void NeedObject(std::string_view name);

  // These may be absent: "", nothing, false, none.
  [[nodiscard]] std::string EventId();
  [[nodiscard]] std::string TextIfAny(std::string_view name) const;  // also where it is no text
  [[nodiscard]] std::optional<std::string> TextOrNull(std::string_view name, std::size_t bytes_max);
  [[nodiscard]] bool Flag(std::string_view name);
  [[nodiscard]] std::vector<std::int64_t> Numbers(std::string_view name, std::size_t count_max);

 private:
  struct Document;
  explicit RecordFields(std::unique_ptr<Document> document);

  std::unique_ptr<Document> document_;
  std::optional<Unreadable> wrong_;
};

}  // namespace fanfold
