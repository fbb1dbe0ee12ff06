#include "writer/feed/shown_parser.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "common/stream/no_id.h"
#include "writer/json_bodies.h"

namespace fanfold::writer {
namespace {

using Json = nlohmann::json;

// The object, its list, an item, a list or object in it. Ten values of an item: it has two.
constexpr JsonBounds kBounds{.depth_max = 4, .values_max = 10 * kShownItemsMax};

std::expected<ShownItem, Refusal> ItemOf(const Json& item, std::size_t at) {
  const auto wrong = [at](std::string_view what) {
    return Invalid(fmt::format("items[{}]: {}", at, what));
  };
  if (!item.is_object()) return wrong("not an object");
  ShownItem shown;
  for (const auto& field : item.items()) {
    const std::string& name = field.key();
    if (name != "author" && name != "post_id") return wrong(UnknownMember(name));
    const std::optional<UserId> id = UserOf(field.value());
    if (!id) return wrong(NoId(name));
    if (name == "author") {
      shown.author = *id;
    } else {
      shown.post = PostId(id->value);
    }
  }
  if (shown.author == UserId(0)) return wrong("author is missing");
  if (shown.post == PostId(0)) return wrong("post_id is missing");
  return shown;
}

}  // namespace

std::expected<std::vector<ShownItem>, Refusal> ParseShown(std::string_view body) {
  const std::expected<Json, Refusal> document = ParseJsonBody<Json>(body, kBounds);
  if (!document) return std::unexpected(document.error());
  if (!document->is_object()) return Invalid("the body must be an object with the list items");
  const auto items = document->find("items");
  if (items == document->end()) return Invalid("items is missing");
  if (document->size() != 1) return Invalid("the body has a member beside items");
  if (!items->is_array()) return Invalid("items must be a list");
  if (items->size() > kShownItemsMax) {
    return Refuse(RefusalCode::kBatchTooLarge,
                  fmt::format("{} items, at most {}", items->size(), kShownItemsMax));
  }
  std::vector<ShownItem> shown;
  shown.reserve(items->size());
  for (const Json& item : *items) {
    std::expected<ShownItem, Refusal> one = ItemOf(item, shown.size());
    if (!one) return std::unexpected(std::move(one.error()));
    shown.push_back(*one);
  }
  return shown;
}

}  // namespace fanfold::writer
