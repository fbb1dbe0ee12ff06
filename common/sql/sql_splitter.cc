#include "common/sql/sql_splitter.h"

#include <utility>

#include "common/base/trimmed.h"

namespace fanfold {

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
