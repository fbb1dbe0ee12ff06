#include "tests/support/certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

namespace fanfold {
namespace {

std::string TextOf(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  std::string text(bytes, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

}  // namespace

CertificateAndKey MakeCertificate(long lives_s, const std::string& type) {
  constexpr unsigned kRsaBits = 2048;
  EVP_PKEY* key = type == "RSA" ? EVP_RSA_gen(kRsaBits) : EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate), lives_s);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_set_pubkey(certificate, key);
  X509_sign(certificate, key, EVP_sha256());
  BIO* certificate_text = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(certificate_text, certificate);
  BIO* key_text = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(key_text, key, nullptr, nullptr, 0, nullptr, nullptr);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return {TextOf(certificate_text), TextOf(key_text)};
}

}  // namespace fanfold
