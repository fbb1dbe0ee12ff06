#include "common/mysql/keyed_tables.h"

namespace fanfold::mysql {

void AppendSelectKeyed(std::string& sql, const std::string& table, const KeyedColumns& columns,
                       std::string_view selected, std::span<const RowKey> keys) {
  sql += "WITH k (k_user, k_other) AS (VALUES ";
  AppendKeys(sql, keys);
  fmt::format_to(std::back_inserter(sql),
                 ") SELECT STRAIGHT_JOIN {} FROM k JOIN {} t FORCE INDEX ({}) ON {} = k_user AND "
                 "{} = k_other",
                 selected, table, kPrimaryIndex, columns.user, columns.other);
}

void AppendNewerCounts(std::string& sql, std::span<const std::string_view> said) {
  sql += " ON DUPLICATE KEY UPDATE ";
  for (const std::string_view column : said) {
    fmt::format_to(std::back_inserter(sql),
                   "{0} = IF(VALUES(version) > version, VALUES({0}), {0}), ", column);
  }
  // Assignments see the columns assigned before them: version, which the guard reads, comes last.
  sql += "version = GREATEST(version, VALUES(version))";
}

}  // namespace fanfold::mysql
