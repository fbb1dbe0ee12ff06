#include "operations/log/log_line.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "operations/log/base64.h"

namespace fanfold::operations {
namespace {

using Json = nlohmann::json;

constexpr const char* kBase64Suffix = "64";

std::string Member(std::string_view name, std::optional<std::string_view> bytes) {
  if (!bytes) return fmt::format(R"("{}":null)", name);
  try {
    return fmt::format(R"("{}":{})", name, Json(*bytes).dump());
  } catch (const Json::type_error&) {  // not UTF-8
    return fmt::format(R"("{}{}":"{}")", name, kBase64Suffix, ToBase64(*bytes));
  }
}

Json EndsJson(const LogEnds& ends) {
  Json array = Json::array();
  for (const Offset end : ends) array.push_back(end.value);
  return array;
}

// A whole number that fits: get() would take any number, and cut it.
template <class Integer>
Integer NumberOf(const Json& value) {
  const bool fits =
      value.is_number_unsigned()
          ? std::in_range<Integer>(value.get<std::uint64_t>())
          : value.is_number_integer() && std::in_range<Integer>(value.get<std::int64_t>());
  if (!fits) throw std::invalid_argument("a number is none that can stand there");
  return value.get<Integer>();
}

LogEnds EndsOf(const Json& array) {
  LogEnds ends;
  for (const Json& end : array) ends.emplace_back(NumberOf<std::int64_t>(end));
  return ends;
}

std::optional<std::string> BytesOf(const Json& line, const std::string& name) {
  const auto base64 = line.find(name + kBase64Suffix);
  if (base64 == line.end()) {
    const Json& text = line.at(name);
    return text.is_null() ? std::nullopt : std::optional(text.get<std::string>());
  }
  std::optional<std::string> bytes = FromBase64(base64->get<std::string>());
  if (!bytes) throw std::invalid_argument(name + kBase64Suffix + " is not base64");
  return bytes;
}

Topic TopicNamed(const std::string& name) {
  if (const std::optional<Topic> topic = Topic::Find(name)) return *topic;
  throw std::invalid_argument("no topic is called " + name);
}

LogHeader HeaderOf(const Json& line) {
  const int version = NumberOf<int>(line.at("fanfold_log"));
  if (version < 1 || version > kLogFileVersion) {
    throw std::invalid_argument(
        fmt::format("version {}, this build reads 1 to {}", version, kLogFileVersion));
  }
  return {NumberOf<std::int32_t>(line.at("partitions")), line.value("nothing_open", false)};
}

LogLineRecord RecordOf(const Json& line) {
  LogLineRecord record;
  record.topic = TopicNamed(line.at("topic").get<std::string>());
  record.stored.position = {Partition(NumberOf<std::int32_t>(line.at("partition"))),
                            Offset(NumberOf<std::int64_t>(line.at("offset")))};
  record.stored.appended_ms = NumberOf<std::int64_t>(line.at("appended_ms"));
  record.stored.key = BytesOf(line, "key");
  record.stored.value = BytesOf(line, "value");
  return record;
}

LogLine LineOf(const Json& line) {
  if (line.contains("fanfold_log")) return HeaderOf(line);
  if (!line.contains("totals")) return RecordOf(line);
  AllEnds totals;
  const Json& told = line["totals"];
  for (const auto& [name, ends] : told.items()) totals[TopicNamed(name)] = EndsOf(ends);
  for (const Stream stream : Stream::All()) {
    const std::optional<Topic> outcomes = stream.outcomes();
    if (outcomes && told.contains(stream.name())) (void)told.at(outcomes->name());
  }
  return totals;
}

}  // namespace

std::string ToLine(const LogHeader& header) {
  return fmt::format(R"({{"fanfold_log":{},"partitions":{},"nothing_open":{}}})", kLogFileVersion,
                     header.partitions, header.nothing_open);
}

std::string ToLine(Topic topic, const LogRecord& record) {
  return fmt::format(R"({{"topic":"{}","partition":{},"offset":{},"appended_ms":{},{},{}}})",
                     topic.name(), record.partition.value, record.offset.value, record.appended_ms,
                     Member("key", record.key), Member("value", record.value));
}

std::string ToLine(const AllEnds& totals) {
  Json of_topics;
  for (const Topic topic : Topic::All()) of_topics[topic.name()] = EndsJson(totals[topic]);
  return Json{{"totals", std::move(of_topics)}}.dump();
}

std::expected<LogLine, BadLogLine> ParseLogLine(std::string_view line) {
  try {
    return LineOf(Json::parse(line));
  } catch (const std::exception& error) {  // nlohmann's, and those above
    return std::unexpected(BadLogLine(error.what()));
  }
}

}  // namespace fanfold::operations
