// Who asks. Valid during the call of a handler: whoever answers later copies it.
#pragma once

#include <string_view>

namespace fanfold::http {

struct Principal {
  std::string_view name;  // empty: nobody who has said who he is
};

}  // namespace fanfold::http
