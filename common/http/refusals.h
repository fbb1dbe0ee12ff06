// Who was refused what: for the log.
#pragma once

#include <string>

#include "common/http/http_server.h"

namespace fanfold::http {

struct Whence {
  std::string from;  // its client's address, by which limits know it
  std::string peer;  // the connection's, which may be a trusted proxy's
};
[[nodiscard]] Whence WhereFrom(const Request& request);

// The same answer, after a line that says who, what and from where: the first of each, and after a
// minute how many more.
[[nodiscard]] Response Noted(const Request& request, Response refused);

}  // namespace fanfold::http
