// Rows of the outbox: records are taken off until there is none, and come back as they were put.
#include <optional>
#include <string>

#include "common/base/check.h"
#include "projector/runtime/outbox_codec.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {

const FuzzTarget kOutboxRows("outbox_rows", [](std::string_view input) {
  using namespace projector;
  for (std::string_view row = input; auto record = TakeOutboxRecord(row);) {
    std::string again;
    AppendOutboxRecord(again, *record);
    std::string_view rest = again;
    const auto read = TakeOutboxRecord(rest);
    FANFOLD_CHECK(read && rest.empty() && read->key == record->key, again);
    FANFOLD_CHECK(read->value == record->value && read->headers == record->headers, again);
  }

  const std::string_view key = TakeLine(input);
  std::string row;
  AppendOutboxRecord(row, {key, input});
  AppendOutboxRecord(row, {std::nullopt, input, key});
  std::string_view rest = row;
  const auto first = TakeOutboxRecord(rest);
  const auto second = TakeOutboxRecord(rest);
  FANFOLD_CHECK(first && first->key == key.substr(0, kOutcomeKeyBytesMax), row);
  FANFOLD_CHECK(second && !second->key && second->headers == key, row);
  FANFOLD_CHECK(first->value == input && second->value == input && rest.empty(), row);
});

}  // namespace fanfold
