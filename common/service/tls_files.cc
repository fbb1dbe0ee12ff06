#include "common/service/tls_files.h"

#include <functional>
#include <utility>

#include "common/base/logging.h"
#include "common/base/pause.h"
#include "common/base/read_file.h"

namespace fanfold {
namespace {

constexpr std::int64_t kLookMs = 500;
constexpr double kMsPerSecond = 1'000;

Result<std::string> Read(const std::string& path) {
  auto text = ReadRegularUpTo(path, TlsFiles::kFileBytesMax);
  const std::string_view why = !text                                    ? text.error()
                               : text->size() > TlsFiles::kFileBytesMax ? "is too large"
                                                                        : "";
  if (why.empty()) return *std::move(text);
  return Fail(ErrorCode::kInvalidArgument, path + ' ' + std::string(why));
}

}  // namespace

TlsFiles::TlsFiles(std::string certificate_file, std::string key_file, Metrics& metrics)
    : certificate_file_(std::move(certificate_file)),
      key_file_(std::move(key_file)),
      expires_(metrics.GetGauge("fanfold_tls_certificate_expires_seconds",
                                "When the certificate that is shown ends, in seconds since 1970")),
      broken_(metrics.GetGauge(
          "fanfold_tls_files_broken",
          "1 while certificate and key cannot be taken and those from before are shown")) {}

Result<std::unique_ptr<TlsFiles>> TlsFiles::Open(std::string certificate_file, std::string key_file,
                                                 Metrics& metrics) {
  std::unique_ptr<TlsFiles> files(
      new TlsFiles(std::move(certificate_file), std::move(key_file), metrics));
  if (Status taken = files->Look(); !taken) return Forward(taken);
  TlsFiles* of = files.get();
  files->follower_ = std::jthread([of](const std::stop_token& stop) { of->Follow(stop); });
  return files;
}

std::shared_ptr<const http::TlsIdentity> TlsFiles::Now() const {
  const std::scoped_lock lock(mutex_);
  return identity_;
}

Status TlsFiles::Look() {
  Result<std::string> certificates = Read(certificate_file_);
  if (!certificates) return Forward(certificates);
  Result<std::string> key = Read(key_file_);
  if (!key) return Forward(key);
  const std::size_t seen = std::hash<std::string>()(*certificates + *key);
  if (seen == seen_) return {};
  auto identity = http::TlsIdentity::Of(*certificates, *key);
  if (!identity) {
    return Fail(ErrorCode::kInvalidArgument,
                certificate_file_ + ", " + key_file_ + ": " + identity.error().message);
  }
  seen_ = seen;
  expires_.Set(static_cast<double>((*identity)->expires_ms()) / kMsPerSecond);
  const std::scoped_lock lock(mutex_);
  identity_ = *std::move(identity);
  return {};
}

void TlsFiles::Follow(const std::stop_token& stop) {
  std::string told;
  while (!stop.stop_requested()) {
    PauseUnlessStopped(kLookMs, stop);
    const Status taken = Look();
    broken_.Set(taken ? 0 : 1);
    const std::string wrong = taken ? "" : taken.error().message;
    if (wrong == told) continue;
    told = wrong;
    if (taken) {
      LogInfo("certificate and key are taken again");
    } else {
      LogError("the certificate from before is shown", {{"why", wrong}});
    }
  }
}

}  // namespace fanfold
