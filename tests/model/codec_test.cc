// Random records: written and read again, in any layout another writer may choose.
#include "common/relation/codec.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/generators.h"

namespace fanfold {
namespace {

using nlohmann::ordered_json;

// The same record as another writer would put it: fields in any order, some that nobody knows,
// spaces. Never canonical, so it is read by the general path.
std::string Rewritten(const std::string& canonical) {
  const ordered_json record = ordered_json::parse(canonical);
  std::vector<std::pair<std::string, ordered_json>> fields;
  for (const auto& [name, value] : record.items()) fields.emplace_back(name, value);
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    const auto value = *rc::gen::element<std::string>("1", "-2.5e3", "\"1\"", "null",
                                                      R"({"subject":"9","v":7})", "[[],{}]");
    fields.emplace_back("unknown" + std::to_string(i), ordered_json::parse(value));
  }
  ordered_json shuffled = ordered_json::object();
  for (const auto& [name, value] : random::Shuffled(std::move(fields))) shuffled[name] = value;
  const int indent = *rc::gen::inRange(0, 4);
  return " " + shuffled.dump(indent - 1);
}

RC_GTEST_PROP(EventCodecModel, ReadsWhatItWrites, ()) {
  const Event event = *random::AnyEvent();
  const auto read = DecodeEvent(EncodeEvent(event));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == event);
}

RC_GTEST_PROP(EventCodecModel, ReadsTheSameInAnyLayout, ()) {
  const Event event = *random::AnyEvent();
  const auto read = DecodeEvent(Rewritten(EncodeEvent(event)));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == event);
}

RC_GTEST_PROP(OutcomeCodecModel, ReadsWhatItWrites, ()) {
  const Outcome outcome = *random::AnyOutcome();
  const auto read = DecodeOutcome(EncodeOutcome(outcome));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == outcome);
}

RC_GTEST_PROP(OutcomeCodecModel, ReadsTheSameInAnyLayout, ()) {
  const Outcome outcome = *random::AnyOutcome();
  const auto read = DecodeOutcome(Rewritten(EncodeOutcome(outcome)));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == outcome);
}

// Canonical text with one byte changed, lost or added: both paths must say the same of it. A space
// in front sends it down the general path.
RC_GTEST_PROP(EventCodecModel, BothPathsAgreeOnDamagedText, ()) {
  std::string text = EncodeEvent(*random::AnyEvent());
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  const auto byte = *rc::gen::oneOf(rc::gen::arbitrary<char>(),
                                    rc::gen::elementOf(std::string("\"\\{}:,019-+.eE \n")));
  const int damage = *rc::gen::inRange(0, 3);
  text.replace(at, damage == 0 ? 0 : 1, damage == 1 ? 0 : 1, byte);
  const auto direct = DecodeEvent(text);
  const auto general = DecodeEvent(" " + text);
  RC_ASSERT(direct.has_value() == general.has_value());
  if (direct) {
    RC_ASSERT(*direct == *general);
  } else {
    RC_ASSERT(direct.error().reason == general.error().reason);
  }
}

RC_GTEST_PROP(OutcomeCodecModel, BothPathsAgreeOnDamagedText, ()) {
  std::string text = EncodeOutcome(*random::AnyOutcome());
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  const auto byte = *rc::gen::elementOf(std::string("\"\\{}:,019-+.eE \nx"));
  text[at] = byte;
  const auto direct = DecodeOutcome(text);
  const auto general = DecodeOutcome(" " + text);
  RC_ASSERT(direct.has_value() == general.has_value());
  if (direct) RC_ASSERT(*direct == *general);
}

RC_GTEST_PROP(EventCodecModel, AnyBytesAreReadOrRefused, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const auto event = DecodeEvent(bytes);
  RC_ASSERT(!event.has_value());
  RC_ASSERT(event.error().reason == ParkReason::kMalformed);
}

}  // namespace
}  // namespace fanfold
