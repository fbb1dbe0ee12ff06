// TLS as a filter between a socket's bytes and HTTP's. The only place that sees OpenSSL's
// connections. No sockets here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace fanfold::http {

// A certificate with its key, and what is offered: TLS 1.2 and 1.3, forward secrecy and
// authenticated ciphers alone, no renegotiation, no compression. Thread-safe.
class TlsIdentity {
 public:
  // PEM; the certificate, and those between it and the authority. Errors: kInvalidArgument, they
  // are not what they must be, or do not belong together; nothing of the key is told.
  [[nodiscard]] static Result<std::shared_ptr<const TlsIdentity>> Of(
      const std::string& certificates, const std::string& key);
  ~TlsIdentity();
  TlsIdentity(const TlsIdentity&) = delete;
  TlsIdentity& operator=(const TlsIdentity&) = delete;

  // When the certificate ends, ms since 1970 UTC.
  [[nodiscard]] std::int64_t expires_ms() const noexcept;

 private:
  friend class TlsSession;
  struct Impl;
  explicit TlsIdentity(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The server's side of one connection. Thread-compatible.
class TlsSession {
 public:
  enum class State : std::uint8_t {
    kOpen,    // or on its way there
    kEnded,   // the client says no more
    kFailed,  // what came is no TLS, or none that is offered
  };

  explicit TlsSession(std::shared_ptr<const TlsIdentity> identity);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Takes what has arrived; what it says is appended to `plain`.
  State Receive(std::string_view arrived, std::string& plain);
  // The bytes to send for `plain`, and whatever else is due. Before the handshake is done nothing
  // can be said: `plain` is dropped.
  [[nodiscard]] std::string Sealed(std::string_view plain);
  // The bytes that tell the client that no more will come, in place of a Sealed.
  [[nodiscard]] std::string Ended();
  [[nodiscard]] bool is_established() const;
  // Has the beginning of something arrived, and not its end?
  [[nodiscard]] bool IsWithinRecord() const;

 private:
  struct Impl;
  State Said(std::string& plain);

  std::unique_ptr<Impl> impl_;
};

}  // namespace fanfold::http
