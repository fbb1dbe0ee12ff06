#include "common/sqlite/keyed_tables.h"

#include <algorithm>
#include <iterator>

namespace fanfold::sqlite {

std::string WriteText(const std::string& table, const KeyedColumns& columns, bool or_newer) {
  std::string sql = fmt::format("INSERT{} INTO {} ({}) VALUES (?1", or_newer ? "" : " OR REPLACE",
                                table, columns.all);
  const auto count = std::ranges::count(columns.all, ',') + 1;
  for (std::ptrdiff_t i = 2; i <= count; ++i) fmt::format_to(std::back_inserter(sql), ", ?{}", i);
  sql += ')';
  if (!or_newer) return sql;
  sql += " ON CONFLICT DO UPDATE SET ";
  for (const std::string_view column : columns.said) {
    fmt::format_to(std::back_inserter(sql), "{0} = excluded.{0}, ", column);
  }
  return sql + fmt::format("version = excluded.version WHERE excluded.version > {}.version", table);
}

}  // namespace fanfold::sqlite
