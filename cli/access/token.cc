#include "cli/access/token.h"

#include <algorithm>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/terminal/text_table.h"
#include "common/access/token_file.h"
#include "common/base/json_text.h"
#include "common/config/load.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMsPerSecond = 1'000;

std::string DayOf(std::optional<std::int64_t> ms) {
  if (!ms) return "never";
  return fmt::format("{:%Y-%m-%d %H:%M}Z",
                     fmt::gmtime(static_cast<std::time_t>(*ms / kMsPerSecond)));
}

// Without what would tell the token.
Json ToJson(const StaticToken& token) {
  return {{"id", token.id},
          {"scopes", ToString(token.scopes)},
          {"made_ms", token.made_ms},
          {"expires_ms", token.expires_ms ? Json(*token.expires_ms) : Json()},
          {"note", token.note}};
}

Status Revoke(std::vector<StaticToken>& tokens, const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    // Whoever has the token alone may name it whole.
    const std::string_view named = std::string_view(id).substr(0, id.find('_'));
    const auto gone = std::ranges::find(tokens, named, &StaticToken::id);
    if (gone == tokens.end()) {
      return Fail(ErrorCode::kNotFound,
                  fmt::format("there is no token {}: `fanfold token list` shows them", named));
    }
    tokens.erase(gone);
  }
  return {};
}

}  // namespace

Result<std::string> TokensFileOf(const DeploymentChoice& choice) {
  const ConfigSources sources = SourcesOf(choice).value_or(
      ConfigSources{.mode = DeploymentMode::kFolder, .flags = choice.flags});
  Result<Config> config = LoadConfig(sources);
  if (!config) return Forward(config);
  if (!config->tokens_file.empty()) return config->tokens_file;
  return Fail(ErrorCode::kInvalidArgument,
              "no file of tokens is named: --tokens-file FILE, FANFOLD_TOKENS_FILE, or tokens_file "
              "in the file that --config names");
}

ExitCode RunToken(const TokenMakeOptions& options, const std::string& file, bool json,
                  const Clock& clock, Console& console) {
  const Result<Scopes> scopes = ParseScopes(options.scopes);
  if (!scopes) return console.SayError(scopes.error());
  if (options.note.size() > kTokenNoteBytesMax) {
    return console.SayError({ErrorCode::kInvalidArgument,
                             fmt::format("a note has at most {} bytes", kTokenNoteBytesMax)});
  }
  const std::int64_t now_ms = clock.NowMs();
  std::optional<std::int64_t> expires_ms;
  if (options.lives_s) expires_ms = now_ms + *options.lives_s * kMsPerSecond;
  const MadeToken made = MakeStaticToken(*scopes, now_ms, expires_ms, options.note);
  const Status kept = ChangeTokenFile(file, [&made](std::vector<StaticToken>& tokens) -> Status {
    if (tokens.size() >= kStaticTokensMax) {
      return Fail(ErrorCode::kRefused,
                  fmt::format("there are {} tokens already: revoke some", kStaticTokensMax));
    }
    tokens.push_back(made.token);
    return {};
  });
  if (!kept) return console.SayError(kept.error());
  if (json) {
    Json shown = ToJson(made.token);
    shown["token"] = made.text;
    console.PrintLine(OneLine(shown));
  } else {
    console.Say(
        fmt::format("for {}; expires: {}; shown this once:", ToString(*scopes), DayOf(expires_ms)));
    console.PrintLine(made.text);
  }
  console.Flush();
  return ExitCode::kFine;
}

ExitCode RunToken(const TokenListOptions& /*options*/, const std::string& file, bool json,
                  const Clock& clock, Console& console) {
  const Result<std::vector<StaticToken>> tokens = ReadTokenFile(file);
  if (!tokens) return console.SayError(tokens.error());
  if (json) {
    Json list = Json::array();
    for (const StaticToken& token : *tokens) list.push_back(ToJson(token));
    console.PrintLine(OneLine(Json{{"tokens", std::move(list)}}));
  } else {
    TextTable table({"ID", "SCOPES", "MADE", "EXPIRES", "NOTE"});
    for (const StaticToken& token : *tokens) {
      const bool over = token.expires_ms && *token.expires_ms <= clock.NowMs();
      table.Add({token.id, ToString(token.scopes), DayOf(token.made_ms),
                 DayOf(token.expires_ms) + (over ? " (over)" : ""), token.note});
    }
    console.Print(table.Text());
  }
  console.Flush();
  return ExitCode::kFine;
}

ExitCode RunToken(const TokenRevokeOptions& options, const std::string& file, bool json,
                  const Clock& /*clock*/, Console& console) {
  const Status revoked = ChangeTokenFile(
      file, [&options](std::vector<StaticToken>& tokens) { return Revoke(tokens, options.ids); });
  if (!revoked) return console.SayError(revoked.error());
  console.PrintLine(json ? OneLine(Json{{"revoked", options.ids.size()}})
                         : "revoked; the services know it within a second");
  console.Flush();
  return ExitCode::kFine;
}

}  // namespace fanfold
