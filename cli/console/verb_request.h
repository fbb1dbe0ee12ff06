// The verbs that a page may have run. Pure.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line/command_line.h"

namespace fanfold::console {

inline constexpr std::size_t kVerbBodyBytesMax = std::size_t{16} << 10;
inline constexpr std::size_t kArgumentsMax = 64;
inline constexpr std::size_t kArgumentLettersMax = 256;  // code points

// As they would be typed behind `fanfold`; `command` answers in JSON.
struct VerbRequest {
  std::vector<std::string> arguments;
  CommandLine command;
};

struct VerbRefusal {
  bool is_forbidden = false;  // it may be typed, but is not for a page
  std::string why;
};

// {"args":["explain","1","2"]}, by `who`. Refuses what is no command line; what is not among the
// verbs that look, or that an operator gives orders with; what chooses a deployment, a file or a
// setting, since the deployment is the process's own; and what would ask or go on for ever.
[[nodiscard]] std::expected<VerbRequest, VerbRefusal> ParseVerbRequest(std::string_view body,
                                                                       const std::string& who);

}  // namespace fanfold::console
