#include "common/sql/sql_splitter.h"

#include <utility>

namespace fanfold {
namespace {

std::string_view Trimmed(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = line.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlank) - begin + 1);
}

}  // namespace

std::vector<std::string> SplitStatements(std::string_view text) {
  std::vector<std::string> statements;
  std::string statement;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.starts_with("--")) continue;
    const bool ends = line.ends_with(';');
    if (ends) line.remove_suffix(1);
    if (!statement.empty()) statement += ' ';
    statement += line;
    if (ends) statements.push_back(std::exchange(statement, {}));
  }
  if (!statement.empty()) statements.push_back(std::move(statement));
  return statements;
}

}  // namespace fanfold
