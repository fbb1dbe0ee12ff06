#include "cli/command_line/command_line_choice.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace fanfold {

CLI::Option* AddNames(CLI::App& verb, const std::string& option, std::vector<std::string> names,
                      const std::function<void(const std::string&)>& chosen,
                      const std::string& what) {
  return verb.add_option_function<std::string>(option, chosen, what)
      ->check(CLI::IsMember(std::move(names)));
}

}  // namespace fanfold
