#include "common/http/tls.h"

#include <gtest/gtest.h>
#include <memory>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string>

#include "tests/support/certificate.h"
#include "tests/unit/http/raw_client.h"

namespace fanfold::http {
namespace {

using State = TlsSession::State;

const CertificateAndKey& Own() {
  static const CertificateAndKey own = MakeCertificate(1'000);
  return own;
}

std::shared_ptr<const TlsIdentity> Identity() {
  auto identity = TlsIdentity::Of(Own().certificate, Own().key);
  EXPECT_TRUE(identity) << identity.error().message;
  return identity.value_or(nullptr);
}

// The other side, which trusts whomever it meets.
class TlsClient {
 public:
  explicit TlsClient(int version_max = TLS1_3_VERSION, const std::string& protocols = {})
      : context_(SSL_CTX_new(TLS_client_method())), session_(nullptr) {
    SSL_CTX_set_security_level(context_, 0);
    SSL_CTX_set_min_proto_version(context_, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_, version_max);
    session_ = SSL_new(context_);
    SSL_set_alpn_protos(session_, reinterpret_cast<const unsigned char*>(protocols.data()),
                        static_cast<unsigned>(protocols.size()));
    SSL_set_bio(session_, from_server_, to_server_);
    SSL_set_connect_state(session_);
  }
  ~TlsClient() {
    SSL_free(session_);
    SSL_CTX_free(context_);
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  void Shake() { SSL_do_handshake(session_); }
  void Say(const std::string& text) {
    SSL_write(session_, text.data(), static_cast<int>(text.size()));
  }
  void End() { SSL_shutdown(session_); }
  void Hear(const std::string& bytes) {
    BIO_write(from_server_, bytes.data(), static_cast<int>(bytes.size()));
    char text[4096];
    for (int size = 0; (size = SSL_read(session_, text, sizeof text)) > 0;) {
      heard_.append(text, static_cast<std::size_t>(size));
    }
  }
  std::string ToSend() {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(to_server_, &bytes);
    std::string taken(bytes, static_cast<std::size_t>(size));
    (void)BIO_reset(to_server_);
    return taken;
  }
  [[nodiscard]] bool has_shaken() const { return SSL_is_init_finished(session_) == 1; }
  [[nodiscard]] const std::string& heard() const { return heard_; }
  [[nodiscard]] bool was_told_the_end() const {
    return (SSL_get_shutdown(session_) & SSL_RECEIVED_SHUTDOWN) != 0;
  }
  [[nodiscard]] unsigned long ticket_lifetime_s() const {
    return SSL_SESSION_get_ticket_lifetime_hint(SSL_get0_session(session_));
  }
  [[nodiscard]] int alert() const { return ERR_GET_REASON(ERR_peek_last_error()); }
  [[nodiscard]] std::string version() const { return SSL_get_version(session_); }

 private:
  SSL_CTX* context_;
  SSL* session_;
  BIO* from_server_ = BIO_new(BIO_s_mem());
  BIO* to_server_ = BIO_new(BIO_s_mem());
  std::string heard_;
};

// Carries what the client has to say, in pieces, and what comes back.
State Carry(TlsClient& client, TlsSession& server, std::string& plain, std::size_t piece = 1'000) {
  State state = State::kOpen;
  client.Shake();
  for (std::string bytes = client.ToSend(); !bytes.empty(); bytes = client.ToSend()) {
    for (std::size_t at = 0; at < bytes.size() && state == State::kOpen; at += piece) {
      state = server.Receive(bytes.substr(at, piece), plain);
      client.Hear(server.Sealed({}));
    }
  }
  return state;
}

TEST(TlsSession, CarriesWhatBothSayHoweverItIsCut) {
  for (const std::size_t piece : {1UL, 7UL, 1'000UL, 100'000UL}) {
    TlsClient client;
    TlsSession server(Identity());
    std::string plain;
    EXPECT_FALSE(server.is_established());
    EXPECT_EQ(Carry(client, server, plain, piece), State::kOpen);
    EXPECT_TRUE(server.is_established());
    const std::string question(50'000, 'q');
    client.Say(question);
    EXPECT_EQ(Carry(client, server, plain, piece), State::kOpen);
    EXPECT_EQ(plain, question);
    const std::string answer(100'000, 'a');
    client.Hear(server.Sealed(answer));
    EXPECT_EQ(client.heard(), answer);
    EXPECT_EQ(client.version(), "TLSv1.3");
  }
}

TEST(TlsSession, SaysNothingBeforeTheHandshake) {
  TlsClient client;
  TlsSession server(Identity());
  EXPECT_EQ(server.Sealed("a secret"), "");
  std::string plain;
  EXPECT_EQ(Carry(client, server, plain), State::kOpen);
  EXPECT_EQ(client.heard(), "");
}

TEST(TlsSession, OffersNothingOlderThanTls12) {
  std::string plain;
  for (const int version : {TLS1_VERSION, TLS1_1_VERSION}) {
    TlsClient client(version);
    TlsSession server(Identity());
    EXPECT_EQ(Carry(client, server, plain), State::kFailed);
  }
  TlsClient client(TLS1_2_VERSION);
  TlsSession server(Identity());
  EXPECT_EQ(Carry(client, server, plain), State::kOpen);
  EXPECT_EQ(client.version(), "TLSv1.2");
}

TEST(TlsSession, WhoSpeaksOtherProtocolsAloneIsToldSo) {
  std::string plain;
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient of_both(version, "\x02h2\x08http/1.1");
    TlsSession server(Identity());
    EXPECT_EQ(Carry(of_both, server, plain), State::kOpen);
    EXPECT_TRUE(server.is_established());
    TlsClient of_h2(version, "\x02h2");
    TlsSession refusing(Identity());
    of_h2.Shake();
    EXPECT_EQ(refusing.Receive(of_h2.ToSend(), plain), State::kFailed);
    ERR_clear_error();
    of_h2.Hear(refusing.Ended());
    EXPECT_EQ(of_h2.alert(), SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL);
    ERR_clear_error();
  }
}

TEST(TlsSession, WhatAClientKeepsIsGoodForAnHour) {
  std::string plain;
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsClient client(version);
    TlsSession server(Identity());
    EXPECT_EQ(Carry(client, server, plain), State::kOpen);
    EXPECT_EQ(client.ticket_lifetime_s(), 3'600U);
  }
}

TEST(TlsSession, WhatIsNoTlsFails) {
  for (const char* sent : {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\x16\x03\x01\xff\xff\xff", "\n"}) {
    TlsSession server(Identity());
    std::string plain;
    State state = State::kOpen;
    for (int i = 0; i < 8 && state == State::kOpen; ++i) state = server.Receive(sent, plain);
    EXPECT_EQ(state, State::kFailed) << sent;
    EXPECT_EQ(plain, "");
  }
}

TEST(TlsSession, WhatWasChangedOnItsWayFails) {
  TlsClient client;
  TlsSession server(Identity());
  std::string plain;
  Carry(client, server, plain);
  client.Say("a question");
  std::string bytes = client.ToSend();
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_EQ(server.Receive(bytes, plain), State::kFailed);
  EXPECT_EQ(plain, "");
}

TEST(TlsSession, EachTellsTheEnd) {
  TlsClient client;
  TlsSession server(Identity());
  std::string plain;
  Carry(client, server, plain);
  client.Hear(server.Ended());
  EXPECT_TRUE(client.was_told_the_end());
  client.Say("last words");
  client.End();
  EXPECT_EQ(Carry(client, server, plain), State::kEnded);
  EXPECT_EQ(plain, "last words");
}

TEST(TlsIdentity, WhatDoesNotBelongTogetherIsRefused) {
  const CertificateAndKey other = MakeCertificate(1'000);
  const auto says = [](const std::string& certificate, const std::string& key) {
    const auto identity = TlsIdentity::Of(certificate, key);
    return identity ? std::string() : identity.error().message;
  };
  EXPECT_EQ(says(Own().certificate, Own().key), "");
  EXPECT_EQ(says(Own().certificate + other.certificate, Own().key), "");
  EXPECT_EQ(says(Own().certificate, other.key), "the key is not that of the certificate");
  const std::string damaged = other.certificate.substr(0, 60) + "!" + other.certificate.substr(60);
  EXPECT_EQ(says(Own().certificate + damaged, Own().key),
            "a certificate behind the first cannot be read");
  const CertificateAndKey rsa = MakeCertificate(1'000, "RSA");
  EXPECT_EQ(says(rsa.certificate, rsa.key), "");
  EXPECT_EQ(says(rsa.certificate, Own().key), "the key is not that of the certificate");
  EXPECT_EQ(says("", Own().key), "there is no certificate in PEM that can be used");
  EXPECT_EQ(says(Own().key, Own().key), "there is no certificate in PEM that can be used");
  EXPECT_EQ(says(Own().certificate, ""), "there is no key in PEM, or one with a password");
}

TEST(TlsIdentity, SaysWhenItEnds) {
  const std::int64_t now_ms = 1'000 * static_cast<std::int64_t>(time(nullptr));
  EXPECT_NEAR(static_cast<double>(Identity()->expires_ms() - now_ms), 1'000'000, 60'000);
}

// Has said the beginning of a record, `bytes` of it, and nothing else; what it is answered then.
std::string AnswerToRecordBegun(std::size_t bytes, ServerOptions options) {
  options.identity = [identity = Identity()] { return identity; };
  const auto server = Serve(Echo, options);
  RawClient socket(server->port());
  TlsClient client;
  for (client.Shake(); !client.has_shaken(); client.Shake()) {
    socket.Send(client.ToSend());
    client.Hear(socket.ReadSome());
  }
  const std::string finished = client.ToSend();
  client.Say(Get("/"));
  socket.Send(finished + client.ToSend().substr(0, bytes));
  client.Hear(socket.ReadToEnd());
  EXPECT_TRUE(socket.IsAtEnd()) << "it should be closed";
  return client.heard();
}

TEST(TlsDeadlines, ARecordThatDoesNotEndIsASlowRequest) {
  for (const std::size_t bytes : {1UL, 3UL, 7UL}) {
    const std::string answer = AnswerToRecordBegun(bytes, {.request_timeout_ms = kShortMs});
    EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 408") << bytes;
  }
}

TEST(TlsDeadlines, ARecordThatBringsNoRequestDoesNotKeepAnIdleConnection) {
  EXPECT_EQ(AnswerToRecordBegun(7, {.idle_timeout_ms = kShortMs}), "");
}

}  // namespace
}  // namespace fanfold::http
