#include "tests/support/openapi_routes.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace fanfold {

std::vector<std::string> RoutesIn(std::string_view openapi) {
  std::vector<std::string> routes;
  std::istringstream lines{std::string(openapi)};
  std::string path;
  for (std::string line; std::getline(lines, line) && line != "components:";) {
    if (line.starts_with("  /") && line.ends_with(':')) path = line.substr(2, line.size() - 3);
    for (const char* method : {"get", "put", "post", "delete"}) {
      if (line != "    " + std::string(method) + ":") continue;
      std::string route = method;
      std::ranges::transform(route, route.begin(), ::toupper);
      routes.push_back(route.append(" ").append(path));
    }
  }
  std::ranges::sort(routes);
  return routes;
}

}  // namespace fanfold
