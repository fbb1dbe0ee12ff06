// Several statements on one way to the server. Internal to the adapter.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/mysql/connection.h"

namespace fanfold::mysql {

// Collects statements without rows, of one transaction, to be sent together.
class Bundle {
 public:
  explicit Bundle(Connection& connection) : connection_(connection) {}

  // Large ones are sent at once, behind what was collected before them.
  void Add(std::string_view sql);
  void Send();

 private:
  // Above it the way to the server is nothing beside the work.
  static constexpr std::size_t kBytesMax = std::size_t{64} << 10;

  Connection& connection_;
  std::string statements_;
  int count_ = 0;
};

// Adds `rows` in statements of about this size at the most, each as `begin`, rows with commas
// between them, by `append`(sql, row), and what `end`(sql) appends.
inline constexpr std::size_t kStatementBytesMax = std::size_t{1} << 20;
void AddUpserts(Bundle& bundle, std::string_view begin, const auto& rows, const auto& append,
                const auto& end) {
  std::string sql;
  const auto send = [&] {
    end(sql);
    bundle.Add(sql);
    sql.clear();
  };
  for (const auto& row : rows) {
    sql += sql.empty() ? begin : ",";
    append(sql, row);
    if (sql.size() > kStatementBytesMax) send();
  }
  if (!sql.empty()) send();
}

}  // namespace fanfold::mysql
