#include "common/mysql/erasures.h"

#include <fmt/format.h>
#include <iterator>
#include <string>
#include <vector>

#include "common/mysql/sql_text.h"
#include "common/sql/profile_columns.h"

namespace fanfold::mysql {
namespace {

class MysqlErasures final : public ErasureStore {
 public:
  explicit MysqlErasures(Connection& connection) : connection_(connection) {}

  Status Move(const Erasure& from, const Erasure& to) override {
    std::string sql =
        fmt::format("UPDATE erasures SET stage = {}, is_open = {}, behind = {}, appended = ",
                    static_cast<int>(to.progress.stage), IsOpen(to.progress.stage) ? 1 : 0,
                    to.progress.behind.value);
    AppendBytes(sql, EncodeStreamEnds(to.progress.appended));
    sql += ", ends = ";
    AppendBytes(sql, EndsToKeep(to));
    fmt::format_to(
        std::back_inserter(sql),
        " WHERE user_id = {} AND version = {} AND stage = {} AND behind = {} AND ends = ",
        from.key.user.value, from.key.version.value, static_cast<int>(from.progress.stage),
        from.progress.behind.value);
    AppendBytes(sql, EndsToKeep(from));
    return connection_.Run([&] {
      if (connection_.Execute(sql, Phase::kCommits) == 0) {
        throw Failure(ErrorCode::kConflict, "somebody else has moved the erasure");
      }
    });
  }

  Result<std::vector<UserId>> Deleted(bool open, std::size_t limit) override {
    return connection_.Run([&] {
      Rows rows = connection_.Query(
          fmt::format("SELECT DISTINCT user_id FROM erasures FORCE INDEX (open_erasures) WHERE "
                      "is_open IN ({}) LIMIT {}",
                      open ? "1" : "0, 1", limit));
      std::vector<UserId> users;
      while (rows.Next()) users.emplace_back(rows.U64(0));
      return users;
    });
  }

  Result<std::vector<Erasure>> Ended(std::span<const UserId> users) override {
    std::string among;
    AppendIds(among, users);
    return connection_.Run([&] {
      Rows rows = connection_.Query(EndedText(among));
      return ReadEnded(rows);
    });
  }

 private:
  Connection& connection_;
};

}  // namespace

std::unique_ptr<ErasureStore> NewErasures(Connection& connection) {
  return std::make_unique<MysqlErasures>(connection);
}

}  // namespace fanfold::mysql
