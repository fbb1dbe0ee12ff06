#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "cli/command_line/command_line_verbs.h"
#include "common/access/scope.h"

namespace fanfold {

void AddToken(CLI::App& app, Verb& verb) {
  CLI::App* token =
      app.add_subcommand("token", "The tokens that services show: make, list, revoke");
  token->require_subcommand(1);
  token->footer(
      "Where `access` is tokens, every request shows one: Authorization: Bearer TOKEN. The file\n"
      "that tokens_file names tells the services which are good, and holds none; they look at it\n"
      "twice a second.\n\n"
      "Examples:\n  fanfold token make --scopes relations:read --tokens-file tokens.json\n"
      "  fanfold token list --config fanfold.toml\n");
  CLI::App* make = token->add_subcommand("make", "Make one, and show it this once");
  const auto made = std::make_shared<TokenMakeOptions>();
  make->add_option("--scopes", made->scopes,
                   "What it is for, joined with commas: " + ToString(Scopes::All()))
      ->required();
  const std::map<std::string, std::int64_t> units = {
      {"s", 1}, {"m", 60}, {"h", 3'600}, {"d", 86'400}};
  make->add_option("--expires", made->lives_s, "After how long it is over: 90d, 12h; never without")
      ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_REQUIRED, "TIME"))
      ->check(CLI::Range(std::int64_t{1}, kTokenLivesMaxS))
      ->type_name("TIME");
  make->add_option("--note", made->note, "Whose it is");
  make->add_option(
          "--to", made->to,
          "Into this file, which is made with mode 0600 and must not be there, not on stdout")
      ->type_name("FILE");
  make->footer(
      "Examples:\n"
      "  fanfold token make --scopes relations:read,relations:write --note feed --expires 90d\n"
      "  fanfold token make --scopes operate --to /etc/fanfold/operator.token\n");
  make->final_callback([made, &verb] { verb = *made; });
  CLI::App* list = token->add_subcommand("list", "Which there are, without what would tell them");
  list->footer(
      "Example:\n  fanfold token list --json | jq '.tokens[] | select(.expires_ms == null)'\n");
  list->final_callback([&verb] { verb = TokenListOptions{}; });
  CLI::App* revoke = token->add_subcommand("revoke", "Take some away");
  const auto revoked = std::make_shared<TokenRevokeOptions>();
  revoke->add_option("ID", revoked->ids, "As `token list` shows it")->required();
  revoke->footer("Example:\n  fanfold token revoke 0f3a9c2d4e5f\n");
  revoke->final_callback([revoked, &verb] { verb = *revoked; });
}

}  // namespace fanfold
