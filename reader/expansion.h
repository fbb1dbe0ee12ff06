// Members that each user in an answer carries besides, made of another stream's rows.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/ports/projection.h"
#include "common/stream/ids.h"
#include "reader/cache/reader_position.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// For each user asked for, in their order: JSON members, such as `"profile":null`.
struct ExpandedUsers {
  std::vector<std::string> members;
  bool as_tables_are = false;  // some are not at the reader's position
};

// Where the members are made from.
struct ExpandFrom {
  bool memory = true;
  ShardedReader* tables = nullptr;  // null: memory alone
  bool at_once = false;             // what is long is kUnavailable: a thread has others to serve
  bool is_head = false;             // what nobody reads need not be made
};

// Thread-safe.
class Expansion {
 public:
  virtual ~Expansion() = default;

  // The projection whose rows the members are made of, and the reader's position in its stream.
  [[nodiscard]] virtual Projection projection() const = 0;
  [[nodiscard]] virtual const ReaderPosition& position() const = 0;
  // The members of these users, who may repeat. Asks each shard at most once. Errors:
  // ProjectionReader's; kUnavailable, memory alone does not do.
  [[nodiscard]] virtual Result<ExpandedUsers> Of(std::span<const UserId> users,
                                                 const Deployment& deployment,
                                                 const ExpandFrom& from) const = 0;
};

// Makes the members that each of these users carries besides. Asked once for all users of an
// answer.
using Expand = std::function<Result<std::vector<std::string>>(std::span<const UserId> users)>;

// By the name that `expand` gives them.
using Expansions = std::map<std::string_view, const Expansion*>;

}  // namespace fanfold::reader
