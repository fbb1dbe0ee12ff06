#include "common/sql/declared_indexes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/sql/sql_splitter.h"
#include "common/sql/table_names.h"

namespace fanfold {
namespace {

// The words of a statement: names without their quotes; brackets and commas stand alone.
std::vector<std::string> WordsOf(std::string_view statement) {
  constexpr std::string_view kAlone = "(),";
  constexpr std::string_view kQuotes = "`\"";
  std::vector<std::string> words;
  bool in_word = false;
  for (const char c : statement) {
    if (c == ' ' || kAlone.contains(c)) {
      in_word = false;
      if (c != ' ') words.emplace_back(1, c);
    } else if (!kQuotes.contains(c)) {
      if (!in_word) words.emplace_back();
      in_word = true;
      words.back() += c;
    }
  }
  return words;
}

class Words {
 public:
  explicit Words(std::string_view statement) : words_(WordsOf(statement)) {}

  [[nodiscard]] bool AtEnd() const { return at_ >= words_.size(); }
  [[nodiscard]] std::string Next() { return AtEnd() ? std::string() : words_[at_++]; }
  // Goes over these words if they come next.
  bool Take(std::initializer_list<std::string_view> wanted) {
    std::size_t i = at_;
    for (const std::string_view word : wanted) {
      if (i >= words_.size() || words_[i] != word) return false;
      ++i;
    }
    at_ = i;
    return true;
  }
  // "(a, b)" as its names.
  std::vector<std::string> TakeList() {
    std::vector<std::string> names;
    if (!Take({"("})) return names;
    while (!AtEnd() && !Take({")"})) {
      if (!Take({","})) names.push_back(Next());
    }
    return names;
  }

 private:
  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

// In the place of what an earlier migration declared under its name.
void Declare(std::vector<TableIndex>& found, TableIndex index) {
  std::erase_if(found, [&](const TableIndex& known) {
    return known.table == index.table && known.name == index.name;
  });
  found.push_back(std::move(index));
}

// One column or key of a CREATE TABLE, up to its comma or the table's closing bracket; false there.
bool TakeItem(Words& words, const std::string& table, std::vector<TableIndex>& found) {
  if (words.Take({"PRIMARY", "KEY"})) {
    Declare(found, {table, kPrimaryName, words.TakeList()});
  } else if (words.Take({"KEY"})) {
    std::string name = words.Next();
    Declare(found, {table, std::move(name), words.TakeList()});
  }
  std::string column;
  int depth = 0;
  while (!words.AtEnd()) {
    if (words.Take({"PRIMARY", "KEY"})) Declare(found, {table, kPrimaryName, {column}});
    const std::string word = words.Next();
    if (column.empty()) column = word;
    if (word == "(") ++depth;
    if (word == ")" && --depth < 0) return false;
    if (word == "," && depth == 0) return true;
  }
  return false;
}

void TakeStatement(std::string_view statement, std::vector<TableIndex>& found) {
  Words words(statement);
  if (words.Take({"CREATE", "TABLE"})) {
    words.Take({"IF", "NOT", "EXISTS"});
    const std::string table = words.Next();
    if (!words.Take({"("})) return;
    while (TakeItem(words, table, found)) {
    }
  } else if (words.Take({"CREATE", "INDEX"})) {
    std::string name = words.Next();
    if (!words.Take({"ON"})) return;
    std::string table = words.Next();
    Declare(found, {std::move(table), std::move(name), words.TakeList()});
  } else if (words.Take({"ALTER", "TABLE"})) {
    std::string table = words.Next();
    const bool is_key = words.Take({"DROP", "PRIMARY", "KEY", ",", "ADD", "PRIMARY", "KEY"});
    if (is_key) Declare(found, {std::move(table), kPrimaryName, words.TakeList()});
  }
}

// The name in the generation that is read of one of the first; the index's may carry its table's.
void MoveToRead(const ReadGenerations& read, TableIndex& index) {
  const auto move = [&](const std::string& first, const std::string& now) {
    if (index.table != first) return false;
    index.table = now;
    if (index.name.starts_with(first)) index.name.replace(0, first.size(), now);
    return true;
  };
  for (const Projection projection : Projection::All()) {
    for (const std::string_view stem : projection.tables()) {
      if (move(TableOf(stem, Generation(1)), TableOf(stem, read[projection]))) return;
    }
  }
}

}  // namespace

std::vector<TableIndex> DeclaredIndexes(std::span<const EmbeddedText> migrations,
                                        const ReadGenerations& read) {
  std::vector<TableIndex> found;
  for (const EmbeddedText& migration : migrations) {
    for (const std::string& statement : SplitStatements(migration.text)) {
      TakeStatement(statement, found);
    }
  }
  for (TableIndex& index : found) MoveToRead(read, index);
  std::ranges::sort(found);
  return found;
}

}  // namespace fanfold
