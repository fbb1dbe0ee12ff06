#include "common/kafka/refusals.h"

#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <mutex>
#include <openssl/x509_vfy.h>

namespace fanfold::kafka {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kRecent{30};

class Refusals {
 public:
  void Note(std::string why) {
    const std::scoped_lock lock(mutex_);
    why_ = std::move(why);
    noted_ = steady_clock::now();
  }
  std::string Recent() {
    const std::scoped_lock lock(mutex_);
    const bool is_recent = !why_.empty() && steady_clock::now() - noted_ < kRecent;
    return is_recent ? why_ : std::string();
  }

 private:
  std::mutex mutex_;
  std::string why_;
  steady_clock::time_point noted_;
};

// Never destroyed: librdkafka's threads may log while the process ends.
Refusals& AllRefusals() {
  static auto& all = *new Refusals();
  return all;
}

int VerifyCertificate(rd_kafka_t* /*client*/, const char* broker, std::int32_t /*id*/,
                      int* x509_error, int /*depth*/, const char* /*der*/, std::size_t /*size*/,
                      char* why, std::size_t why_size, void* /*opaque*/) {
  if (*x509_error == X509_V_OK) return 1;
  const char* reason = X509_verify_cert_error_string(*x509_error);
  std::snprintf(why, why_size, "%s", reason);
  AllRefusals().Note(fmt::format("the certificate of broker {} is refused: {}", broker, reason));
  return 0;
}

}  // namespace

void NoteLine(std::string_view facility, std::string_view text) {
  if (facility != "FAIL") return;
  // Of a certificate the callback has said more.
  if (text.find("certificate verify failed") != text.npos) return;
  const bool of_trust = text.find("SSL") != text.npos || text.find("SASL") != text.npos ||
                        text.find("security.protocol") != text.npos;
  if (!of_trust) return;
  const std::size_t thread = text.find("]: ");
  const std::string_view why = thread == text.npos ? text : text.substr(thread + 3);
  // What a broker does that takes the handshake for a request.
  const bool hangs_up = why.find("unexpected eof") != why.npos;
  AllRefusals().Note(std::string(why) +
                     (hangs_up ? ": does the broker speak TLS on that port?" : ""));
}

std::string RecentRefusal() { return AllRefusals().Recent(); }

void NoteCertificates(rd_kafka_conf_t* conf) {
  (void)rd_kafka_conf_set_ssl_cert_verify_cb(conf, &VerifyCertificate);
}

}  // namespace fanfold::kafka
