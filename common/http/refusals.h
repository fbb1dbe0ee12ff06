// Who was refused what: for the log.
#pragma once

#include "common/http/http_server.h"

namespace fanfold::http {

// The same answer, after a line that says who, what and from where: the first of each, and after a
// minute how many more.
[[nodiscard]] Response Noted(const Request& request, Response refused);

}  // namespace fanfold::http
