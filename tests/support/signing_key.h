// An issuer of tokens.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace fanfold {

class SigningKey {
 public:
  // `algorithm`: ES256 or RS256. Fresh each time.
  SigningKey(std::string kid, std::string algorithm, std::size_t rsa_bits = 2'048);
  ~SigningKey();
  SigningKey(const SigningKey&) = delete;
  SigningKey& operator=(const SigningKey&) = delete;

  // What of it is public, or with `secret` all, as JSON.
  [[nodiscard]] std::string Jwk(bool secret = false) const;
  // Under the header {"alg","kid"}, or that one, which has to name an algorithm of the key's kind.
  [[nodiscard]] std::string Sign(std::string_view claims, std::string_view header = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// {"keys":[…]}
[[nodiscard]] std::string JwkSetOf(std::initializer_list<std::string> keys);

// Base64url without padding.
[[nodiscard]] std::string Base64Url(std::string_view bytes);

}  // namespace fanfold
