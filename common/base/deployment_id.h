// The id that tells one deployment from every other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fanfold {

// 128 random bits, as 32 hexadecimal digits. Drawn by `fanfold init`; kept for ever, unless a copy
// of a deployment is given one of its own.
class DeploymentId {
 public:
  [[nodiscard]] static DeploymentId Draw();
  // Nothing when it is none.
  [[nodiscard]] static std::optional<DeploymentId> Parse(std::string_view text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  friend bool operator==(const DeploymentId&, const DeploymentId&) = default;

 private:
  explicit DeploymentId(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace fanfold
