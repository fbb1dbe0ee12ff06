// Wrappers stand before handlers.
#pragma once

#include <functional>
#include <ranges>
#include <utility>
#include <vector>

#include "common/http/http_server.h"

namespace fanfold::http {

// Makes a handler that answers itself, or lets another one answer. Its rules for requests and
// answers hold for every route behind it.
using Wrapper = std::function<Handler(Handler)>;

// The first wrapper sees a request first and its answer last.
[[nodiscard]] inline Handler Wrapped(const std::vector<Wrapper>& wrappers, Handler handler) {
  for (const Wrapper& wrap : std::views::reverse(wrappers)) handler = wrap(std::move(handler));
  return handler;
}

}  // namespace fanfold::http
