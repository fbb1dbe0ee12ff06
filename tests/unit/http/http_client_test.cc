#include "common/http/http_client.h"

#include <atomic>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "common/http/tls.h"
#include "tests/support/certificate.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/http/raw_client.h"

namespace fanfold::http {
namespace {

TEST(HttpClient, WithoutANameTheFirstCertificateAloneIsTrusted) {
  const testing::TempFolder folder;
  const CertificateAndKey own = MakeCertificate(1'000);
  const CertificateAndKey other = MakeCertificate(1'000);
  const auto identity = TlsIdentity::Of(own.certificate, own.key).value();
  ServerOptions options;
  options.identity = [&] { return identity; };
  const auto server = Serve(Echo, options);
  const std::string file = folder.path() + "/trusted.pem";
  const auto ask = [&](const std::string& trusted) {
    std::ofstream(file) << trusted;
    HttpClient client({.host = "127.0.0.1", .port = server->port(), .tls = true, .ca_file = file},
                      10'000);
    const auto answer = client.Post("/", "{}");
    return answer ? ErrorCode::kUnknown : answer.error().code;
  };
  EXPECT_EQ(ask(own.certificate + other.certificate), ErrorCode::kUnknown);  // it was answered
  EXPECT_EQ(ask(other.certificate + own.certificate), ErrorCode::kRefused);
  EXPECT_EQ(ask(""), ErrorCode::kRefused);
}

// Its file has the new one a moment before.
TEST(HttpClient, ACertificateThatIsExchangedIsWaitedFor) {
  const testing::TempFolder folder;
  const CertificateAndKey old = MakeCertificate(1'000);
  const CertificateAndKey fresh = MakeCertificate(1'000);
  const auto shown_first = TlsIdentity::Of(old.certificate, old.key).value();
  const auto shown_then = TlsIdentity::Of(fresh.certificate, fresh.key).value();
  std::atomic<int> shown = 0;
  ServerOptions options;
  options.identity = [&] { return shown++ == 0 ? shown_first : shown_then; };
  const auto server = Serve(Echo, options);
  const std::string file = folder.path() + "/trusted.pem";
  std::ofstream(file) << fresh.certificate;
  HttpClient client({.host = "127.0.0.1", .port = server->port(), .tls = true, .ca_file = file},
                    10'000);
  EXPECT_TRUE(client.Post("/", "{}").has_value());
}

}  // namespace
}  // namespace fanfold::http
