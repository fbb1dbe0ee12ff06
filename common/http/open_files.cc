#include "common/http/open_files.h"

#include <algorithm>
#include <mutex>
#include <sys/resource.h>

#include "common/base/logging.h"

namespace fanfold::http {
namespace {

// Of databases, brokers, logs.
constexpr rlim_t kFilesBesideConnections = 500;

// The limit is the process's, so what is asked of it is the sum.
struct OfAll {
  std::mutex mutex;
  std::size_t connections_max = 0;
};

OfAll& All() {
  static OfAll all;
  return all;
}

}  // namespace

OpenFiles::OpenFiles(std::size_t connections_max) : connections_max_(connections_max) {
  OfAll& all = All();
  const std::scoped_lock lock(all.mutex);
  all.connections_max += connections_max_;
  const rlim_t wanted = all.connections_max + kFilesBesideConnections;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == wanted) return;
  LogWarning("fewer connections can be open than are allowed",
             {{"open_files", limit.rlim_cur}, {"connections_max", all.connections_max}});
}

OpenFiles::~OpenFiles() {
  OfAll& all = All();
  const std::scoped_lock lock(all.mutex);
  all.connections_max -= connections_max_;
}

}  // namespace fanfold::http
