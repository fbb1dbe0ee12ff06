#include "common/base/secret_file.h"

#include <fmt/format.h>
#include <fstream>

namespace fanfold {

Result<std::string> ReadSecret(const std::string& path) {
  const auto wrong = [&path](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("the secret's file {} {}", path, why));
  };
  std::ifstream file(path, std::ios::binary);
  if (!file) return wrong("cannot be opened");
  std::string secret(kSecretBytesMax + 1, '\0');
  file.read(secret.data(), static_cast<std::streamsize>(secret.size()));
  if (file.bad()) return wrong("cannot be read");
  secret.resize(static_cast<std::size_t>(file.gcount()));
  if (secret.size() > kSecretBytesMax) {
    return wrong(fmt::format("has more than {} bytes", kSecretBytesMax));
  }
  while (secret.ends_with('\n') || secret.ends_with('\r')) secret.pop_back();
  if (secret.empty()) return wrong("is empty");
  return secret;
}

}  // namespace fanfold
