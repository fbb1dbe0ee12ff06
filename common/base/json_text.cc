#include "common/base/json_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace fanfold {
namespace {

using Json = nlohmann::json;

class Checker final : public nlohmann::json_sax<Json> {
 public:
  Checker(std::size_t bytes, const JsonBounds& bounds) : bytes_(bytes), bounds_(bounds) {}

  Status status;

  bool null() override { return Value(); }
  bool boolean(bool) override { return Value(); }
  bool number_integer(number_integer_t) override { return Value(); }
  bool number_unsigned(number_unsigned_t) override { return Value(); }
  bool number_float(number_float_t, const string_t&) override { return Value(); }
  bool string(string_t&) override { return Value(); }
  bool binary(binary_t&) override { return Value(); }
  bool start_array(std::size_t) override { return Open(); }
  bool end_array() override { return Close(); }
  bool start_object(std::size_t) override { return Open(); }
  bool end_object() override { return MembersDiffer() && Close(); }

  bool key(string_t& name) override {
    members_.push_back(std::move(name));
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception&) override {
    return Refuse(ErrorCode::kInvalidArgument,
                  fmt::format("is not JSON: byte {} of {}", byte, bytes_));
  }

 private:
  bool Refuse(ErrorCode code, std::string why) {
    status = Fail(code, std::move(why));
    return false;
  }

  bool Value() {
    if (++values_ <= bounds_.values_max) return true;
    return Refuse(ErrorCode::kOutOfRange,
                  fmt::format("has more than {} values", bounds_.values_max));
  }

  bool Open() {
    if (open_.size() == bounds_.depth_max) {
      return Refuse(ErrorCode::kInvalidArgument,
                    fmt::format("is nested deeper than {}", bounds_.depth_max));
    }
    open_.push_back(members_.size());
    return Value();
  }

  bool Close() {
    members_.resize(open_.back());
    open_.pop_back();
    return true;
  }

  bool MembersDiffer() {
    const auto first = members_.begin() + static_cast<std::ptrdiff_t>(open_.back());
    std::sort(first, members_.end());
    const auto twice = std::adjacent_find(first, members_.end());
    if (twice == members_.end()) return true;
    constexpr std::size_t kNameShownMax = 40;
    return Refuse(ErrorCode::kInvalidArgument,
                  fmt::format("names \"{}\" twice in one object", twice->substr(0, kNameShownMax)));
  }

  const std::size_t bytes_;
  const JsonBounds bounds_;
  std::size_t values_ = 0;
  std::vector<std::string> members_;  // of all open objects, those of the innermost last
  std::vector<std::size_t> open_;     // where in members_ each begins
};

}  // namespace

Status CheckJson(std::string_view text, const JsonBounds& bounds) {
  Checker checker(text.size(), bounds);
  Json::sax_parse(text, &checker);
  return checker.status;
}

}  // namespace fanfold
