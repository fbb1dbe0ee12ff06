#include "common/mysql/sql_text.h"

namespace fanfold::mysql {

void AppendBytes(std::string& sql, std::string_view bytes) {
  // find_first_of would call memchr for each byte, which dominates a batch with an outbox.
  const auto is_escaped = [](char c) { return c == '\'' || c == '\\' || c == '\0'; };
  sql += "_binary'";
  std::size_t copied = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (!is_escaped(bytes[at])) continue;
    sql += bytes.substr(copied, at - copied);
    sql += '\\';
    sql += bytes[at] == '\0' ? '0' : bytes[at];
    copied = at + 1;
  }
  sql += bytes.substr(copied);
  sql += '\'';
}

void AppendWords(std::string& sql, std::string_view words, std::size_t bytes_max) {
  sql += '\'';
  for (const char c : PrintableAscii(words, bytes_max)) {
    if (c == '\'' || c == '\\') sql += '\\';
    sql += c;
  }
  sql += '\'';
}

}  // namespace fanfold::mysql
