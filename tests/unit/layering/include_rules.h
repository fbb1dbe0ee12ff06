// Which file may include what: dependencies point one way,
//   base ← relation ← ports ← {kafka, sql ← {mysql, sqlite}},
// the cores of writer, projector and reader stand on ports and HTTP, operations on ports and the
// projector's folding, and only programs put adapters and cores together.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fanfold::layering {

// One sentence for each #include of the file that breaks a rule. `path` is relative to the
// repository's root.
[[nodiscard]] std::vector<std::string> Violations(std::string_view path, std::string_view text);

// One sentence for each file that gets to a library of another folder through headers of ours: what
// a folder alone may include, its public headers keep to themselves. `tree` is path → text.
[[nodiscard]] std::vector<std::string> Leaks(const std::map<std::string, std::string>& tree);

}  // namespace fanfold::layering
