#include "cli/deployment/shown_token.h"

#include <fmt/format.h>

#include "common/access/base64url.h"
#include "common/access/static_tokens.h"
#include "common/base/secret_file.h"

namespace fanfold {

Result<std::string> ReadShownToken(const std::string& path) {
  Result<std::string> token = ReadSecret(path);
  if (!token || StaticTokenIdOf(*token) || IsCompactJws(*token)) return token;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} holds no token: one line of `fanfold token make`, or a JWT", path));
}

}  // namespace fanfold
