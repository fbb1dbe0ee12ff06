#include "common/access/scope.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace fanfold {
namespace {

std::vector<std::string_view> NamesIn(std::string_view text, std::string_view between) {
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(between), text.size());
    if (end > 0) names.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

}  // namespace

std::string ToString(Scopes scopes) {
  std::string text;
  for (const Scope scope : Scope::All()) {
    if (scopes.Has(scope)) text.append(text.empty() ? "" : " ").append(scope.name());
  }
  return text;
}

Result<Scopes> ParseScopes(std::string_view text) {
  Scopes scopes;
  for (const std::string_view name : NamesIn(text, " ,")) {
    const std::optional<Scope> scope = Scope::Find(name);
    if (!scope) {
      std::string why = "there is no scope " + std::string(name);
      why += "; the scopes are " + ToString(Scopes::All());
      return Fail(ErrorCode::kInvalidArgument, std::move(why));
    }
    scopes.Add(*scope);
  }
  if (scopes.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "no scope is named; the scopes are " + ToString(Scopes::All()));
  }
  return scopes;
}

bool HasName(std::string_view text, std::string_view name) {
  return std::ranges::count(NamesIn(text, " "), name) > 0;
}

Scopes KnownScopes(std::string_view text) {
  Scopes scopes;
  for (const std::string_view name : NamesIn(text, " ")) {
    if (const std::optional<Scope> scope = Scope::Find(name)) scopes.Add(*scope);
  }
  return scopes;
}

}  // namespace fanfold
