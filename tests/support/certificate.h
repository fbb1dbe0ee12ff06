// A certificate that signs itself, and its key.
#pragma once

#include <string>

namespace fanfold {

struct CertificateAndKey {
  std::string certificate;  // PEM
  std::string key;
};

// Of P-256, for localhost, from now on for that long.
[[nodiscard]] CertificateAndKey MakeCertificate(long lives_s);

}  // namespace fanfold
