// Lines of an exported log: what is taken is what the line says, number by number, and is written
// and taken again the same. Any bytes are a record's key and value.
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "common/base/check.h"
#include "operations/log/log_line.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {
namespace {

using namespace operations;
using Json = nlohmann::json;

struct Line {
  std::string operator()(const LogHeader& header) const { return ToLine(header); }
  std::string operator()(const LogLineRecord& record) const {
    const StoredRecord& stored = record.stored;
    return ToLine(record.topic, {stored.position.partition, stored.position.offset,
                                 stored.appended_ms, stored.key, stored.value});
  }
  std::string operator()(const AllEnds& totals) const { return ToLine(totals); }
};

// Members that the line has besides are nothing to it.
void CheckSays(const Json& line, const Json& taken) {
  for (const auto& [name, value] : taken.items()) {
    const auto told = line.find(name);
    if (told == line.end() || !(value.is_number() || value.is_boolean())) continue;
    FANFOLD_CHECK(*told == value, name);
  }
}

void CheckBytesComeBack(std::string_view key, std::string_view value) {
  const LogRecord record{Partition(3), Offset(7), 55, key, value};
  const auto line = ParseLogLine(ToLine(topics::kUserEvents, record));
  FANFOLD_CHECK(line, line.error());
  const StoredRecord& stored = std::get<LogLineRecord>(*line).stored;
  FANFOLD_CHECK(stored.key == key && stored.value == value, value);
}

}  // namespace

const FuzzTarget kLogLines("log_lines", [](std::string_view input) {
  CheckBytesComeBack(input.substr(0, input.size() / 2), input);
  const auto line = ParseLogLine(input);
  if (!line) return;
  const std::string text = std::visit(Line(), *line);
  const auto again = ParseLogLine(text);
  FANFOLD_CHECK(again && std::visit(Line(), *again) == text, text);
  CheckSays(Json::parse(input), Json::parse(text));
});

}  // namespace fanfold
