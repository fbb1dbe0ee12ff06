#include "common/base/secret_file.h"

#include <fmt/format.h>

#include "common/base/read_file.h"

namespace fanfold {

Result<std::string> ReadSecret(const std::string& path) {
  const auto wrong = [&path](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("the secret's file {} {}", path, why));
  };
  const auto read = ReadRegularUpTo(path, kSecretBytesMax);
  if (!read) return wrong(read.error());
  std::string secret = *read;
  if (secret.size() > kSecretBytesMax) {
    return wrong(fmt::format("has more than {} bytes", kSecretBytesMax));
  }
  while (secret.ends_with('\n') || secret.ends_with('\r')) secret.pop_back();
  if (secret.empty()) return wrong("is empty");
  return secret;
}

}  // namespace fanfold
