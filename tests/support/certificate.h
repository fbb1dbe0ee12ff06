// A certificate that signs itself, and its key.
#pragma once

#include <string>

namespace fanfold {

struct CertificateAndKey {
  std::string certificate;  // PEM
  std::string key;
};

// For localhost, from now on for that long. `type`: EC, of P-256, or RSA.
[[nodiscard]] CertificateAndKey MakeCertificate(long lives_s, const std::string& type = "EC");

}  // namespace fanfold
