// `fanfold token`: the tokens that services show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/deployment/deployment.h"
#include "cli/terminal/console.h"
#include "cli/terminal/exit_code.h"
#include "common/base/clock.h"

namespace fanfold {

inline constexpr std::int64_t kTokenLivesMaxS = 100LL * 365 * 86'400;

struct TokenMakeOptions {
  std::string scopes;
  std::optional<std::int64_t> lives_s;  // for ever without
  std::string note;
  std::string to;  // a file that is made; empty: stdout
};
struct TokenListOptions {};
struct TokenRevokeOptions {
  std::vector<std::string> ids;
};

// The file that the configuration's tokens_file names. Errors: kInvalidArgument, none is named.
[[nodiscard]] Result<std::string> TokensFileOf(const DeploymentChoice& choice);

// Shows it once, or none is kept; what is kept tells nobody what it was.
[[nodiscard]] ExitCode RunToken(const TokenMakeOptions& options, const std::string& file, bool json,
                                const Clock& clock, Console& console);
[[nodiscard]] ExitCode RunToken(const TokenListOptions& options, const std::string& file, bool json,
                                const Clock& clock, Console& console);
// All or, where one is not there, none.
[[nodiscard]] ExitCode RunToken(const TokenRevokeOptions& options, const std::string& file,
                                bool json, const Clock& clock, Console& console);

}  // namespace fanfold
