// Who asks.
#pragma once

#include <string_view>

namespace fanfold::http {

struct Principal {
  std::string_view name;  // empty: nobody who has said who he is
};

}  // namespace fanfold::http
