// Members of what tells tokens and keys.
#pragma once

#include <string>

namespace fanfold {

// The text of that name; empty where there is none, or it is no text. `Json` is nlohmann's.
template <class Json>
[[nodiscard]] std::string TextIn(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->template get<std::string>()
                                                     : std::string();
}

}  // namespace fanfold
