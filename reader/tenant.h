// The parts that a stream beside the relations adds to the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "common/base/metrics.h"
#include "common/http/router.h"
#include "reader/cache/table_watcher.h"
#include "reader/expansion.h"
#include "reader/freshness/topic_feed.h"
#include "reader/parameters.h"

namespace fanfold::reader {

// A GET of its own.
struct TenantRoute {
  std::string_view pattern;
  // With what `expand` may name.
  std::function<ParsedRead(const http::Routed&, const Expansions&)> parse;
};

// A follower of the topic feeds it, and pollers tell it of changed tables, from threads that end
// before it.
class Tenant {
 public:
  virtual ~Tenant() = default;
  // Null where the tables alone answer.
  [[nodiscard]] virtual TopicFeed* feed() { return nullptr; }
  [[nodiscard]] virtual TableWatcher* watcher() { return nullptr; }
  [[nodiscard]] virtual Expansions expansions() const { return {}; }
  [[nodiscard]] virtual std::vector<TenantRoute> routes() const { return {}; }
};

struct TenantLimits {
  std::int32_t shards = 1;
  std::size_t bytes_max = 0;    // of what each holds in memory
  std::size_t posts_bytes = 0;  // of authors' posts, without what they say
};

// Every tenant there is. `relations`, the reader's position in the relations, and `metrics` outlive
// them.
[[nodiscard]] std::vector<std::unique_ptr<Tenant>> NewTenants(const TenantLimits& limits,
                                                              const ReaderPosition& relations,
                                                              Metrics& metrics);

}  // namespace fanfold::reader
