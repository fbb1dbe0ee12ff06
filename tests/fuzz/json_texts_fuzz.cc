// What CheckJson lets by is within its bounds and names no member twice, wherever the parser takes
// it; any bytes can be written as a string.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/base/json_text.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;
constexpr JsonBounds kBounds{.depth_max = 4, .values_max = 16};

// Follows the parser.
class Counting final : public nlohmann::json_sax<Json> {
 public:
  [[nodiscard]] bool twice() const { return twice_; }
  [[nodiscard]] std::size_t depth_max() const { return depth_max_; }
  [[nodiscard]] std::size_t values() const { return values_; }

  bool null() override { return Value(); }
  bool boolean(bool /*value*/) override { return Value(); }
  bool number_integer(std::int64_t /*value*/) override { return Value(); }
  bool number_unsigned(std::uint64_t /*value*/) override { return Value(); }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return Value(); }
  bool string(std::string& /*value*/) override { return Value(); }
  bool binary(Json::binary_t& /*value*/) override { return Value(); }
  bool start_object(std::size_t /*size*/) override { return Open(); }
  bool start_array(std::size_t /*size*/) override { return Open(); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& name) override {
    twice_ = twice_ || !open_.back().insert(name).second;
    return true;
  }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    return false;
  }

 private:
  bool Value() {
    ++values_;
    return true;
  }
  bool Open() {
    open_.emplace_back();
    depth_max_ = std::max(depth_max_, open_.size());
    return Value();
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  bool twice_ = false;
  std::size_t depth_max_ = 0;
  std::size_t values_ = 0;
  std::vector<std::set<std::string>> open_;
};

}  // namespace

const FuzzTarget kJsonTexts("json_texts", [](std::string_view input) {
  const Json quoted = Json::parse(JsonQuoted(input), nullptr, /*allow_exceptions=*/false);
  FANFOLD_CHECK(quoted.is_string(), input);

  if (!CheckJson(input, kBounds)) return;
  Counting counting;
  const bool is_json = Json::sax_parse(input, &counting);
  // The parser goes at most one level deeper, or a value further, than what was let by.
  FANFOLD_CHECK(counting.depth_max() <= kBounds.depth_max, input);
  FANFOLD_CHECK(counting.values() <= kBounds.values_max + 1, input);
  FANFOLD_CHECK(!is_json || !counting.twice(), input);
});

}  // namespace fanfold
