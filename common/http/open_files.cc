#include "common/http/open_files.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <sys/resource.h>

#include "common/base/logging.h"

namespace fanfold::http {
namespace {

// Of databases, brokers, tokens, logs.
constexpr rlim_t kFilesBesideConnections = 500;

// The limit is the process's, so what is asked of it is the sum.
struct OfAll {
  std::mutex mutex;
  std::atomic<std::size_t> connections_max = 0;
  std::atomic<rlim_t> files = RLIM_INFINITY;
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
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  all.files = limit.rlim_cur;
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) all.files = limit.rlim_cur;
  if (all.files >= wanted) return;
  LogWarning("fewer connections can be open than are allowed",
             {{"open_files", all.files.load()},
              {"allowed", connections_max_},
              {"can_be", this->connections_max()}});
}

OpenFiles::~OpenFiles() {
  OfAll& all = All();
  const std::scoped_lock lock(all.mutex);
  all.connections_max -= connections_max_;
}

std::size_t OpenFiles::connections_max() const noexcept {
  const rlim_t files = All().files;
  const rlim_t room = files - std::min(kFilesBesideConnections, files / 2);
  const rlim_t all = All().connections_max;
  if (all <= room) return connections_max_;
  return std::max<std::size_t>(room * connections_max_ / all, 1);
}

}  // namespace fanfold::http
