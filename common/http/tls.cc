#include "common/http/tls.h"

#include <algorithm>
#include <array>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <utility>

#include "common/base/check.h"
#include "common/base/clock.h"

namespace fanfold::http {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr long kTicketSeconds = 3'600;  // how long a client may come back with what it has kept
constexpr std::size_t kRecordBytes = std::size_t{16} << 10;  // at the most
// Those of TLS 1.3 are all good.
constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
constexpr const char* kGroups = "X25519:P-256:P-384";
constexpr unsigned char kProtocols[] = "\x08http/1.1";

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
struct FreeSession {
  void operator()(SSL* session) const { SSL_free(session); }
};
struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Certificate = std::unique_ptr<X509, FreeCertificate>;

std::unexpected<Error> Wrong(std::string why) {
  ERR_clear_error();
  return Fail(ErrorCode::kInvalidArgument, std::move(why));
}

std::unique_ptr<BIO, FreeBio> BioOf(const std::string& text) {
  return std::unique_ptr<BIO, FreeBio>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*unused*/) { return 0; }

int Http11Alone(SSL* /*session*/, const unsigned char** chosen, unsigned char* size,
                const unsigned char* offered, unsigned int offered_size, void* /*unused*/) {
  unsigned char* found = nullptr;
  const int negotiated =
      SSL_select_next_proto(&found, size, kProtocols, sizeof kProtocols - 1, offered, offered_size);
  *chosen = found;
  return negotiated == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// Nothing about clients is kept here; they keep it themselves, sealed.
void Restrict(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_timeout(context, kTicketSeconds);
  SSL_CTX_set_alpn_select_cb(context, Http11Alone, nullptr);
  const bool set = SSL_CTX_set_cipher_list(context, kCiphers) == 1 &&
                   SSL_CTX_set1_groups_list(context, kGroups) == 1;
  FANFOLD_CHECK(set, "the library does not know what is to be offered");
}

std::int64_t ExpiresMs(const X509* certificate) {
  int days = 0;
  int seconds = 0;
  const std::unique_ptr<ASN1_TIME, decltype(&ASN1_TIME_free)> epoch(ASN1_TIME_set(nullptr, 0),
                                                                    ASN1_TIME_free);
  ASN1_TIME_diff(&days, &seconds, epoch.get(), X509_get0_notAfter(certificate));
  return (days * kSecondsPerDay + seconds) * kMsPerSecond;
}

// What is due to the peer, out of the session's hands.
std::string TakenFrom(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  std::string taken(bytes, static_cast<std::size_t>(std::max(size, 0L)));
  (void)BIO_reset(bio);
  return taken;
}

}  // namespace

struct TlsIdentity::Impl {
  std::unique_ptr<SSL_CTX, FreeContext> context;
  std::int64_t expires_ms = 0;
};

TlsIdentity::TlsIdentity(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsIdentity::~TlsIdentity() = default;
std::int64_t TlsIdentity::expires_ms() const noexcept { return impl_->expires_ms; }

Result<std::shared_ptr<const TlsIdentity>> TlsIdentity::Of(const std::string& certificates,
                                                           const std::string& key) {
  auto impl = std::make_unique<Impl>();
  impl->context.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* context = impl->context.get();
  Restrict(context);
  const auto chain = BioOf(certificates);
  const Certificate own(PEM_read_bio_X509(chain.get(), nullptr, NoPassword, nullptr));
  if (!own || SSL_CTX_use_certificate(context, own.get()) != 1) {
    return Wrong("there is no certificate in PEM that can be used");
  }
  while (Certificate between{PEM_read_bio_X509(chain.get(), nullptr, NoPassword, nullptr)}) {
    if (SSL_CTX_add1_chain_cert(context, between.get()) != 1) {
      return Wrong("a certificate behind the first cannot be used");
    }
  }
  // The end of the text, and nothing else, ends the chain.
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
    return Wrong("a certificate behind the first cannot be read");
  }
  ERR_clear_error();
  const std::unique_ptr<EVP_PKEY, FreeKey> own_key(
      PEM_read_bio_PrivateKey(BioOf(key).get(), nullptr, NoPassword, nullptr));
  if (!own_key) return Wrong("there is no key in PEM, or one with a password");
  if (X509_check_private_key(own.get(), own_key.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, own_key.get()) != 1) {
    return Wrong("the key is not that of the certificate");
  }
  ERR_clear_error();
  impl->expires_ms = ExpiresMs(own.get());
  return std::shared_ptr<const TlsIdentity>(new TlsIdentity(std::move(impl)));
}

struct TlsSession::Impl {
  std::shared_ptr<const TlsIdentity> identity;
  std::unique_ptr<SSL, FreeSession> session;
  BIO* from_peer = nullptr;  // both are the session's
  BIO* to_peer = nullptr;
  bool was_established = false;
};

TlsSession::TlsSession(std::shared_ptr<const TlsIdentity> identity)
    : impl_(std::make_unique<Impl>()) {
  impl_->session.reset(SSL_new(identity->impl_->context.get()));
  impl_->identity = std::move(identity);
  impl_->from_peer = BIO_new(BIO_s_mem());
  impl_->to_peer = BIO_new(BIO_s_mem());
  SSL_set_bio(impl_->session.get(), impl_->from_peer, impl_->to_peer);
  SSL_set_accept_state(impl_->session.get());
}

TlsSession::~TlsSession() = default;

// A record at a time, so that the buffers in between, which never become smaller, stay small.
TlsSession::State TlsSession::Receive(std::string_view arrived, std::string& plain) {
  State state = State::kOpen;
  do {
    const std::string_view some = arrived.substr(0, kRecordBytes);
    arrived.remove_prefix(some.size());
    if (!some.empty()) BIO_write(impl_->from_peer, some.data(), static_cast<int>(some.size()));
    state = Said(plain);
  } while (!arrived.empty() && state == State::kOpen);
  return state;
}

TlsSession::State TlsSession::Said(std::string& plain) {
  SSL* session = impl_->session.get();
  std::array<char, kRecordBytes> said;
  while (true) {
    const int size = SSL_read(session, said.data(), static_cast<int>(said.size()));
    if (size > 0) {
      plain.append(said.data(), static_cast<std::size_t>(size));
      continue;
    }
    const int why = SSL_get_error(session, size);
    ERR_clear_error();
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return State::kOpen;
    return why == SSL_ERROR_ZERO_RETURN ? State::kEnded : State::kFailed;
  }
}

std::string TlsSession::Sealed(std::string_view plain) {
  if (is_established()) impl_->was_established = true;
  std::string sealed = TakenFrom(impl_->to_peer);
  while (!plain.empty() && impl_->was_established) {
    const std::string_view some = plain.substr(0, kRecordBytes);
    const int size = SSL_write(impl_->session.get(), some.data(), static_cast<int>(some.size()));
    ERR_clear_error();
    if (size <= 0) break;
    plain.remove_prefix(static_cast<std::size_t>(size));
    sealed += TakenFrom(impl_->to_peer);
  }
  return sealed;
}

bool TlsSession::IsWithinRecord() const {
  return SSL_has_pending(impl_->session.get()) == 1 || BIO_pending(impl_->from_peer) > 0;
}

std::string TlsSession::Ended() {
  if (is_established()) SSL_shutdown(impl_->session.get());
  ERR_clear_error();
  return TakenFrom(impl_->to_peer);
}

bool TlsSession::is_established() const { return SSL_is_init_finished(impl_->session.get()) == 1; }

}  // namespace fanfold::http
