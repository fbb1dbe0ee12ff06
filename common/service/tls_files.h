// The certificate that a program's ports show.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "common/base/followed_files.h"
#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/http/tls.h"

namespace fanfold {

// Looks at its files twice a second, and shows what they hold from the next connection on; what
// cannot be used changes nothing, and a gauge and the log say so. Thread-safe.
class TlsFiles {
 public:
  static constexpr std::size_t kFileBytesMax = std::size_t{256} << 10;

  // Errors: kInvalidArgument, what they hold cannot be used. `metrics` outlives it.
  [[nodiscard]] static Result<std::unique_ptr<TlsFiles>> Open(std::string certificate_file,
                                                              std::string key_file,
                                                              Metrics& metrics);
  [[nodiscard]] std::shared_ptr<const http::TlsIdentity> Now() const;

 private:
  TlsFiles(std::string certificate_file, std::string key_file, Metrics& metrics);
  Status Take(std::span<const std::string> texts);
  void Follow(const std::stop_token& stop);

  Gauge& expires_;
  Gauge& broken_;
  mutable std::mutex mutex_;
  std::shared_ptr<const http::TlsIdentity> identity_;
  FollowedFiles files_;
  std::jthread follower_;
};

}  // namespace fanfold
