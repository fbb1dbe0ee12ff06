#include "tests/support/signing_key.h"

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <utility>
#include <vector>

#include "common/base/check.h"

namespace fanfold {
namespace {

constexpr int kCoordinateBytes = 32;  // of P-256

std::string BytesOf(const BIGNUM* number, int size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  FANFOLD_CHECK(BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), size) == size,
                "size");
  return bytes;
}

std::string MemberOf(const EVP_PKEY* key, const char* name, int size = 0) {
  BIGNUM* number = nullptr;
  FANFOLD_CHECK(EVP_PKEY_get_bn_param(key, name, &number) == 1, name);
  std::string bytes = BytesOf(number, size == 0 ? BN_num_bytes(number) : size);
  BN_free(number);
  return Base64Url(bytes);
}

// As JWS has it: the two numbers, one behind the other.
std::string RawOf(const std::string& der) {
  const auto* from = reinterpret_cast<const unsigned char*>(der.data());
  ECDSA_SIG* signature = d2i_ECDSA_SIG(nullptr, &from, static_cast<long>(der.size()));
  std::string raw = BytesOf(ECDSA_SIG_get0_r(signature), kCoordinateBytes) +
                    BytesOf(ECDSA_SIG_get0_s(signature), kCoordinateBytes);
  ECDSA_SIG_free(signature);
  return raw;
}

}  // namespace

struct SigningKey::Impl {
  std::string kid;
  std::string algorithm;
  EVP_PKEY* key = nullptr;

  [[nodiscard]] bool is_rsa() const { return algorithm == "RS256"; }
};

SigningKey::SigningKey(std::string kid, std::string algorithm, std::size_t rsa_bits)
    : impl_(std::make_unique<Impl>()) {
  impl_->kid = std::move(kid);
  impl_->algorithm = std::move(algorithm);
  impl_->key = impl_->is_rsa() ? EVP_RSA_gen(rsa_bits) : EVP_EC_gen("P-256");
  FANFOLD_CHECK(impl_->key != nullptr, impl_->algorithm);
}

SigningKey::~SigningKey() { EVP_PKEY_free(impl_->key); }

std::string SigningKey::Jwk(bool secret) const {
  const EVP_PKEY* key = impl_->key;
  std::string members =
      impl_->is_rsa()
          ? fmt::format(R"("kty":"RSA","n":"{}","e":"{}")", MemberOf(key, OSSL_PKEY_PARAM_RSA_N),
                        MemberOf(key, OSSL_PKEY_PARAM_RSA_E))
          : fmt::format(R"("kty":"EC","crv":"P-256","x":"{}","y":"{}")",
                        MemberOf(key, OSSL_PKEY_PARAM_EC_PUB_X, kCoordinateBytes),
                        MemberOf(key, OSSL_PKEY_PARAM_EC_PUB_Y, kCoordinateBytes));
  if (secret) {
    members += fmt::format(
        R"(,"d":"{}")",
        MemberOf(key, impl_->is_rsa() ? OSSL_PKEY_PARAM_RSA_D : OSSL_PKEY_PARAM_PRIV_KEY));
  }
  return fmt::format(R"({{{},"kid":"{}","alg":"{}","use":"sig"}})", members, impl_->kid,
                     impl_->algorithm);
}

std::string SigningKey::Sign(std::string_view claims, std::string_view header) const {
  const std::string usual =
      fmt::format(R"({{"alg":"{}","kid":"{}"}})", impl_->algorithm, impl_->kid);
  const std::string text = Base64Url(header.empty() ? usual : header) + '.' + Base64Url(claims);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  FANFOLD_CHECK(EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, impl_->key) == 1,
                "not begun");
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  EVP_DigestSign(context, nullptr, &size, bytes, text.size());
  std::string signature(size, '\0');
  FANFOLD_CHECK(EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size,
                               bytes, text.size()) == 1,
                "not signed");
  EVP_MD_CTX_free(context);
  signature.resize(size);
  return text + '.' + Base64Url(impl_->is_rsa() ? signature : RawOf(signature));
}

std::string JwkSetOf(std::initializer_list<std::string> keys) {
  std::string joined;
  for (const std::string& key : keys) joined += (joined.empty() ? "" : ",") + key;
  return R"({"keys":[)" + joined + "]}";
}

std::string Base64Url(std::string_view bytes) {
  // Four for each three, and the end of the text.
  std::vector<unsigned char> encoded((bytes.size() + 2) / 3 * 4 + 1);
  const int size =
      EVP_EncodeBlock(encoded.data(), reinterpret_cast<const unsigned char*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  std::string text(encoded.begin(), encoded.begin() + size);
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

}  // namespace fanfold
