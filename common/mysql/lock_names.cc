#include "common/mysql/lock_names.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <span>

#include "common/base/check.h"

namespace fanfold::mysql {
namespace {

std::string HexDigest(const EVP_MD* kind, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  FANFOLD_CHECK(EVP_Digest(text.data(), text.size(), bytes.data(), &size, kind, nullptr) == 1,
                "libcrypto has MD5 and SHA-1");
  return fmt::format("{:02x}", fmt::join(std::span(bytes).first(size), ""));
}

}  // namespace

std::string MigrationLockName(std::string_view schema) {
  return "fanfold:" + HexDigest(EVP_md5(), schema);
}

std::string GenerationsLockName(std::string_view schema, Projection projection) {
  return "fanfold." + HexDigest(EVP_sha1(), fmt::format("{}.{}", schema, ToString(projection)));
}

}  // namespace fanfold::mysql
