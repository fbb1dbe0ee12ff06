#include "cli/access/token.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <utility>

#include "cli/terminal/text_table.h"
#include "common/access/token_file.h"
#include "common/base/clock.h"
#include "common/base/json_text.h"
#include "common/config/load.h"
#include "operations/base/text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

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

Status CannotWrite(const std::string& path) {
  return Fail(ErrorCode::kUnavailable, fmt::format("{}: {}", path, std::strerror(errno)));
}

// For its owner alone, and in no file that somebody has made for others.
Status WriteNew(const std::string& path, std::string_view text) {
  constexpr mode_t kOfOwnerAlone = 0600;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOfOwnerAlone);
  if (file < 0) return CannotWrite(path);
  const bool whole = write(file, text.data(), text.size()) == std::ssize(text) && fsync(file) == 0;
  const Status written = whole ? Status() : CannotWrite(path);
  close(file);
  if (!whole) unlink(path.c_str());
  return written;
}

Status Show(const MadeToken& made, const std::string& to, bool json, Console& console) {
  if (!to.empty()) {
    if (Status written = WriteNew(to, made.text + "\n"); !written) return written;
  }
  if (json) {
    Json shown = ToJson(made.token);
    to.empty() ? shown["token"] = made.text : shown["file"] = to;
    console.PrintLine(OneLine(shown));
  } else {
    console.Say(fmt::format("for {}; expires: {}; {}", ToString(made.token.scopes),
                            DayOf(made.token.expires_ms),
                            to.empty() ? "shown this once:" : "written to " + to));
    if (to.empty()) console.PrintLine(made.text);
  }
  if (console.Flush() || !to.empty()) return {};
  return Fail(ErrorCode::kUnavailable, "the token could not be shown, and is not kept");
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
  bool shown = false;
  const Status kept = ChangeTokenFile(file, [&](std::vector<StaticToken>& tokens) -> Status {
    if (tokens.size() >= kStaticTokensMax) {
      return Fail(ErrorCode::kRefused,
                  fmt::format("there are {} tokens already: revoke some", kStaticTokensMax));
    }
    tokens.push_back(made.token);
    const Status said = Show(made, options.to, json, console);
    shown = said.has_value();
    return said;
  });
  if (kept) return ExitCode::kFine;
  if (shown && !options.to.empty()) unlink(options.to.c_str());
  return console.SayError(kept.error());
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
                 DayOf(token.expires_ms) + (over ? " (over)" : ""),
                 operations::Escaped(token.note)});
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
