#include "common/mysql/inbox_tables.h"

#include <array>
#include <charconv>
#include <concepts>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>

#include "common/mysql/bundle.h"
#include "common/mysql/sql_text.h"
#include "common/sql/inbox_tables.h"

namespace fanfold::mysql {
namespace {

template <std::integral Integer>
std::string LiteralOf(Integer number) {
  std::string literal;
  AppendNumber(literal, number);
  return literal;
}

std::string LiteralOf(std::string_view words) {
  std::string literal;
  AppendWords(literal, words, words.size());
  return literal;
}

// With the values in the places of ?1, ?2, …
template <class... Values>
std::string Filled(std::string_view text, const Values&... values) {
  const std::array<std::string, sizeof...(Values)> literals = {LiteralOf(values)...};
  std::string sql;
  for (std::size_t at = text.find('?'); at != std::string_view::npos; at = text.find('?')) {
    sql += text.substr(0, at);
    std::size_t place = 0;
    const char* const begin = text.data() + at + 1;
    const char* const end = std::from_chars(begin, text.data() + text.size(), place).ptr;
    sql += literals.at(place - 1);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return sql.append(text);
}

class InboxSession {
 public:
  static constexpr std::string_view kForUpdate = " FOR UPDATE";
  static constexpr std::string_view kForUpdateOfFree = " FOR UPDATE SKIP LOCKED";

  explicit InboxSession(Connection& connection) : connection_(connection), bundle_(connection) {}

  template <class Take, class... Values>
  void Each(std::string_view text, const Take& take, const Values&... values) {
    TakeAll(Filled(text, values...), take);
  }

  template <class... Values>
  std::uint64_t Execute(std::string_view text, const Values&... values) {
    Flush();
    return connection_.Execute(Filled(text, values...));
  }

  template <class... Values>
  void Later(std::string_view text, const Values&... values) {
    bundle_.Add(Filled(text, values...));
  }
  void Flush() { bundle_.Send(); }

  template <class Key, class Take>
  void EachOf(std::string_view text, const std::vector<Key>& keys, const Take& take) {
    const std::size_t place = text.find("?*");
    InPieces(std::span(keys), [&](std::span<const Key> piece) {
      std::string sql(text.substr(0, place));
      AppendList(sql, piece, ",", [](std::string& out, const Key& key) {
        out += '(';
        AppendList(out, key, ",", [](std::string& to, std::uint64_t id) { AppendNumber(to, id); });
        out += ')';
      });
      TakeAll(sql.append(text.substr(place + 2)), take);
    });
  }

  void AddAll(std::string_view begin, const std::vector<InboxPartRow>& rows) {
    const auto append = [](std::string& sql, const InboxPartRow& row) {
      fmt::format_to(std::back_inserter(sql), "({},{},{},", row.owner.value, row.source, row.upto);
      AppendBytes(sql, row.bytes);
      sql += ')';
    };
    AddUpserts(bundle_, begin, rows, append, [](std::string&) {});
  }

 private:
  template <class Take>
  void TakeAll(const std::string& sql, const Take& take) {
    Flush();
    Rows rows = connection_.Query(sql);
    while (rows.Next()) take(std::as_const(rows));
  }

  Connection& connection_;
  Bundle bundle_;
};

class InboxDatabase {
 public:
  explicit InboxDatabase(Connection& connection) : connection_(&connection) {}

  template <class Work>
  auto Read(const Work& work) {
    return connection_->Run([&] {
      InboxSession session(*connection_);
      return work(session);
    });
  }

  template <class Work>
  auto Write(const Work& work) {
    return connection_->Run([&] {
      Transaction transaction(*connection_);
      InboxSession session(*connection_);
      if constexpr (std::is_void_v<decltype(work(session))>) {
        work(session);
        session.Flush();
        transaction.Commit();
      } else {
        auto done = work(session);
        session.Flush();
        transaction.Commit();
        return done;
      }
    });
  }

 private:
  Connection* connection_;
};

}  // namespace

std::unique_ptr<InboxStore> NewInboxTables(Connection& connection) {
  return std::make_unique<InboxTables<InboxDatabase>>(InboxDatabase(connection));
}

std::optional<InboxView> ReadInboxIn(Connection& connection, const InboxQuestion& question) {
  InboxSession session(connection);
  return ReadInbox(session, question);
}

}  // namespace fanfold::mysql
