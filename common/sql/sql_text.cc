#include "common/sql/sql_text.h"

#include <algorithm>

namespace fanfold {

void AppendIds(std::string& sql, std::span<const UserId> users) {
  AppendList(sql, users, ",",
             [](std::string& text, UserId user) { AppendNumber(text, user.value); });
}

std::string PrintableAscii(std::string_view words, std::size_t bytes_max) {
  std::string printable(words.substr(0, bytes_max));
  std::ranges::replace_if(printable, [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return printable;
}

}  // namespace fanfold
