#include "common/base/deployment_id.h"

#include <fmt/format.h>

#include "common/base/random.h"

namespace fanfold {

DeploymentId DeploymentId::Draw() {
  return DeploymentId(fmt::format("{:016x}{:016x}", RandomBits(), RandomBits()));
}

std::optional<DeploymentId> DeploymentId::Parse(std::string_view text) {
  constexpr std::size_t kDigits = 32;
  const bool is_one = text.size() == kDigits &&
                      text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (!is_one) return std::nullopt;
  return DeploymentId(std::string(text));
}

}  // namespace fanfold
