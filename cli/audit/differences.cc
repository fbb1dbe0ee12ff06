#include "cli/audit/differences.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/json_text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

Json IdOrNull(UserId user) { return user == UserId(0) ? Json() : Json(ToString(user)); }

}  // namespace

std::string ItemsJson(std::span<const projector::Difference> differences) {
  Json items = Json::array();
  for (const projector::Difference& difference : differences) {
    items.push_back({{"kind", ToString(difference.kind)},
                     {"projection", ToString(difference.projection)},
                     {"user_id", IdOrNull(difference.user)},
                     {"other_id", IdOrNull(difference.other)},
                     {"shard", difference.shard.value},
                     {"detail", difference.detail}});
  }
  return OneLine(items);
}

std::string ToText(const projector::Difference& difference) {
  std::string text =
      fmt::format("{} {}", ToString(difference.kind), ToString(difference.projection));
  if (difference.user != UserId(0)) {
    text += fmt::format(" user {}", difference.user.value);
    if (difference.other != UserId(0)) text += fmt::format(" other {}", difference.other.value);
    text += fmt::format(" on shard {}", difference.shard.value);
  }
  return text + ": " + difference.detail;
}

std::string SkippedText(std::size_t inboxes) {
  return fmt::format(
      "{} inboxes are left out: posts are not delivered into them now (see the projectors' "
      "fanfold_inboxes_still_seconds and their logs)",
      inboxes);
}

}  // namespace fanfold
