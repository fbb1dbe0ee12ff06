#include "common/service/tls_files.h"

#include <chrono>
#include <utility>

#include "common/base/pause.h"

namespace fanfold {
namespace {

constexpr std::int64_t kLookMs = 500;

}  // namespace

TlsFiles::TlsFiles(std::string certificate_file, std::string key_file, Metrics& metrics)
    : expires_(metrics.GetGauge("fanfold_tls_certificate_expiry_timestamp_seconds",
                                "When the certificate that is shown ends, in seconds since 1970")),
      broken_(metrics.GetGauge(
          "fanfold_tls_files_broken",
          "1 while certificate and key cannot be taken and those from before are shown")),
      files_({std::move(certificate_file), std::move(key_file)}, kFileBytesMax,
             [this](std::span<const std::string> texts) { return Take(texts); }) {}

Result<std::unique_ptr<TlsFiles>> TlsFiles::Open(std::string certificate_file, std::string key_file,
                                                 Metrics& metrics) {
  std::unique_ptr<TlsFiles> files(
      new TlsFiles(std::move(certificate_file), std::move(key_file), metrics));
  if (Status taken = files->files_.Look(); !taken) return Forward(taken);
  TlsFiles* of = files.get();
  files->follower_ = std::jthread([of](const std::stop_token& stop) { of->Follow(stop); });
  return files;
}

std::shared_ptr<const http::TlsIdentity> TlsFiles::Now() const {
  const std::scoped_lock lock(mutex_);
  return identity_;
}

Status TlsFiles::Take(std::span<const std::string> texts) {
  auto identity = http::TlsIdentity::Of(texts[0], texts[1]);
  if (!identity) return Forward(identity);
  const std::chrono::milliseconds expires((*identity)->expires_ms());
  expires_.Set(std::chrono::duration<double>(expires).count());
  const std::scoped_lock lock(mutex_);
  identity_ = *std::move(identity);
  return {};
}

void TlsFiles::Follow(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    PauseUnlessStopped(kLookMs, stop);
    files_.LookAgain(&broken_);
  }
}

}  // namespace fanfold
