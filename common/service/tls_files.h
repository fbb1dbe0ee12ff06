// The certificate that a program's ports show.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>

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
  // Errors: what cannot be used.
  Status Look();
  void Follow(const std::stop_token& stop);

  const std::string certificate_file_;
  const std::string key_file_;
  Gauge& expires_;
  Gauge& broken_;
  std::size_t seen_ = 0;  // a hash of what was taken last
  mutable std::mutex mutex_;
  std::shared_ptr<const http::TlsIdentity> identity_;
  std::jthread follower_;
};

}  // namespace fanfold
