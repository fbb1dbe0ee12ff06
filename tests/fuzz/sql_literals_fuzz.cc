// Literals of MySQL's text: bytes come back as they were, and nothing ends the literal early.
#include <cstddef>
#include <string>

#include "common/base/check.h"
#include "common/mysql/sql_text.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {
namespace {

// What the server makes of a literal in quotes that ends the text; of escapes those that are used.
std::string ReadLiteral(std::string_view literal) {
  FANFOLD_CHECK(literal.size() >= 2 && literal.front() == '\'' && literal.back() == '\'', literal);
  const std::string_view inside = literal.substr(1, literal.size() - 2);
  std::string bytes;
  for (std::size_t at = 0; at < inside.size(); ++at) {
    FANFOLD_CHECK(inside[at] != '\'', literal);
    if (inside[at] != '\\') {
      bytes += inside[at];
      continue;
    }
    ++at;
    FANFOLD_CHECK(at < inside.size(), literal);
    bytes += inside[at] == '0' ? '\0' : inside[at];
  }
  return bytes;
}

}  // namespace

const FuzzTarget kSqlLiterals("sql_literals", [](std::string_view input) {
  constexpr std::string_view kBinary = "_binary";
  constexpr std::size_t kWordsBytesMax = 32;
  std::string sql;
  mysql::AppendBytes(sql, input);
  FANFOLD_CHECK(sql.starts_with(kBinary), sql);
  FANFOLD_CHECK(ReadLiteral(std::string_view(sql).substr(kBinary.size())) == input, sql);

  std::string words;
  mysql::AppendWords(words, input, kWordsBytesMax);
  FANFOLD_CHECK(ReadLiteral(words) == PrintableAscii(input, kWordsBytesMax), words);
});

}  // namespace fanfold
