#include "common/sqlite/inbox_tables.h"

#include <string>
#include <string_view>
#include <tuple>

#include "common/sql/inbox_tables.h"

namespace fanfold::sqlite {
namespace {

class InboxSession {
 public:
  // Who writes is alone.
  static constexpr std::string_view kForUpdate = "";
  static constexpr std::string_view kForUpdateOfFree = "";

  explicit InboxSession(Connection& connection) : connection_(connection) {}

  template <class Take, class... Values>
  void Each(std::string_view text, const Take& take, const Values&... values) {
    Statement select = connection_.Prepare(text);
    select.Bind(Bindable(values)...);
    while (select.Next()) take(std::as_const(select));
  }

  template <class... Values>
  std::uint64_t Execute(std::string_view text, const Values&... values) {
    return static_cast<std::uint64_t>(connection_.Execute(text, Bindable(values)...));
  }

  template <class... Values>
  void Later(std::string_view text, const Values&... values) {
    Execute(text, values...);
  }

  template <class Key, class Take>
  void EachOf(std::string_view text, const std::vector<Key>& keys, const Take& take) {
    std::string values = "VALUES (?1";
    for (std::size_t i = 1; i < std::tuple_size_v<Key>; ++i) {
      values += ", ?" + std::to_string(i + 1);
    }
    std::string sql(text);
    sql.replace(sql.find("?*"), 2, values + ')');
    for (const Key& key : keys) {
      std::apply([&](const auto&... parts) { Each(sql, take, parts...); }, key);
    }
  }

  void AddAll(std::string_view begin, const std::vector<InboxPartRow>& rows) {
    Statement insert = connection_.Prepare(std::string(begin) + "(?1, ?2, ?3, ?4)");
    for (const InboxPartRow& row : rows) {
      insert.Bind(row.owner.value, row.source, row.upto, Blob{row.bytes}).Execute();
    }
  }

 private:
  static std::string_view Bindable(const std::string& text) { return text; }
  template <class Value>
  static Value Bindable(Value value) {
    return value;
  }

  Connection& connection_;
};

class InboxDatabase {
 public:
  explicit InboxDatabase(std::shared_ptr<SqliteTables> tables) : tables_(std::move(tables)) {}

  template <class Work>
  auto Read(const Work& work) {
    return tables_->Write([&](Connection& connection, std::int64_t) {
      InboxSession session(connection);
      return work(session);
    });
  }

  template <class Work>
  auto Write(const Work& work) {
    return tables_->Write([&](Connection& connection, std::int64_t) {
      Transaction transaction(connection, Access::kWrites);
      InboxSession session(connection);
      if constexpr (std::is_void_v<decltype(work(session))>) {
        work(session);
        transaction.Commit();
      } else {
        auto done = work(session);
        transaction.Commit();
        return done;
      }
    });
  }

 private:
  std::shared_ptr<SqliteTables> tables_;
};

}  // namespace

std::unique_ptr<InboxStore> NewInboxTables(std::shared_ptr<SqliteTables> tables) {
  return std::make_unique<InboxTables<InboxDatabase>>(InboxDatabase(std::move(tables)));
}

std::optional<InboxView> ReadInboxIn(Connection& connection, const InboxQuestion& question) {
  InboxSession session(connection);
  return ReadInbox(session, question);
}

}  // namespace fanfold::sqlite
