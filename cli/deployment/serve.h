// `fanfold serve`
#pragma once

#include <string>

namespace fanfold {

struct ServeOptions {
  std::string folder = "./var/fanfold";
};

}  // namespace fanfold
