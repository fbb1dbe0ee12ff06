// Rows that are asked for by their keys. Internal to the adapter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "common/mysql/connection.h"
#include "common/ports/row_image.h"
#include "common/sql/sql_text.h"

namespace fanfold::mysql {

// The keys as a table of two columns, for WITH … AS (VALUES …). A join with it takes three fifths
// of the server's time that IN takes, whose thousand ranges are planned one by one. MySQL alone
// wants the word ROW, and alone reads it here.
inline void AppendKeys(std::string& sql, std::span<const RowKey> keys) {
  AppendList(sql, keys, ",", [](std::string& text, const RowKey& key) {
    text += "/*!80019 ROW*/(";
    AppendNumber(text, key.user.value);
    text += ',';
    AppendNumber(text, key.other.value);
    text += ')';
  });
}

// Where `key` stands in the sorted `keys`. Rows come in key order nearly always: `hint`, where the
// last one stood, makes that a walk.
template <class Key>
std::size_t IndexOf(std::span<const Key> keys, const std::type_identity_t<Key>& key,
                    std::size_t hint) {
  while (hint < keys.size() && keys[hint] < key) ++hint;
  if (hint < keys.size() && keys[hint] == key) return hint;
  const auto found = std::ranges::lower_bound(keys, key);
  if (found == keys.end() || *found != key) {
    throw Failure(ErrorCode::kInternal, "the database gave a row that was not asked for");
  }
  return static_cast<std::size_t>(found - keys.begin());
}

}  // namespace fanfold::mysql
