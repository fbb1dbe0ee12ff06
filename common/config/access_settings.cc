#include "common/config/access_settings.h"

#include <cstdint>
#include <utility>

#include "common/base/loopback.h"
#include "common/base/peers.h"
#include "common/config/setting_kinds.h"

namespace fanfold {

using namespace setting_kinds;

namespace {

constexpr Names<AccessMode, 2> kAccessModes = {
    {{AccessMode::kOpen, "open"}, {AccessMode::kTokens, "tokens"}}};

const Takers kServingAndVerbs = {Program::kWriter, Program::kProjector, Program::kReader,
                                 Program::kServe, Program::kVerbs};
const Takers kOfApis = {Program::kWriter, Program::kReader, Program::kServe};
constexpr std::int64_t kRateMax = 1'000'000;
constexpr std::int64_t kIdleMaxS = 3'600;
constexpr std::int64_t kPortMax = 65'535;

bool IsNetwork(std::string_view text) { return PeerNetwork::Parse(text).has_value(); }

Setting File(About about, std::string Config::* member) {
  return Text(std::move(about), "the path of a file", IsSome, member, ValueKind::kPath);
}

Setting TheOperationsPort() {
  Setting setting =
      Begin({"operations_port",
             "That port. Without it: 1,000 above the service's own. A projector, which "
             "answers nothing else, has its own port alone.",
             kServing},
            Within("a port", 0, kPortMax), ValueKind::kNumber);
  setting.set = [](const ConfigValue& value, Config& config) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number < 0 || *number > kPortMax) return false;
    config.operations_port = static_cast<std::uint16_t>(*number);
    return true;
  };
  setting.get = [](const Config& config) -> std::optional<ConfigValue> {
    if (!config.operations_port) return std::nullopt;
    return std::int64_t{*config.operations_port};
  };
  return setting;
}

}  // namespace

std::vector<Setting> AccessSettings() {
  constexpr std::int64_t kLifetimeMaxS = 30 * 86'400;
  std::vector<Setting> settings;
  settings.push_back(Choice({"access",
                             "Who may ask: whoever reaches the port, which must then be on "
                             "loopback, or whoever has a token.",
                             kServing},
                            "open or tokens", kAccessModes, &Config::access));
  settings.push_back(File({"tokens_file",
                           "The tokens of services, as `fanfold token` makes them; read again when "
                           "it changes.",
                           kServingAndVerbs},
                          &Config::tokens_file));
  settings.push_back(File({"jwt_keys_file",
                           "The public keys of the tokens that an issuer signs, as a JWK set; read "
                           "again when it changes.",
                           kServing},
                          &Config::jwt_keys_file));
  settings.push_back(Text({"jwt_issuer", "The `iss` such a token must have.", kServing}, "a text",
                          IsSome, &Config::jwt_issuer));
  settings.push_back(Text({"jwt_audience", "Its `aud` must contain this.", kServing}, "a text",
                          IsSome, &Config::jwt_audience));
  settings.push_back(Number({"jwt_lifetime_max_s", "How long it may live.", kServing}, "seconds", 1,
                            &Config::jwt_lifetime_max_s, kLifetimeMaxS));
  settings.push_back(Text({"jwt_user_claim",
                           "The claim that names the user for whom it acts, by a decimal id. "
                           "Unset: `user` where it is there, else `sub`. A token with the scope "
                           "`users:any` acts for all.",
                           kServing},
                          "a text", IsSome, &Config::jwt_user_claim));
  settings.push_back(File({"tls_certificate_file",
                           "The certificate that the ports show, and those between it and the "
                           "authority, in PEM; with it they speak TLS alone, but for an operators' "
                           "port on loopback. Read again when it changes.",
                           kServing},
                          &Config::tls_certificate_file));
  settings.push_back(File({"tls_key_file", "Its key, in PEM, without a password.", kServing},
                          &Config::tls_key_file));
  settings.push_back(Switch(
      {"allow_plaintext",
       "Says that it is meant where brokers off loopback are spoken to without TLS, or "
       "tokens come to a port off loopback that has neither a certificate nor "
       "`trusted_proxies`. Without it `fanfold config check`, `doctor` and each process that "
       "starts warn of it.",
       kServingAndVerbs},
      &Config::allow_plaintext));
  settings.push_back(Text({"operations_bind",
                           "The address of the port for /metrics, /readyz with reasons, /log_level "
                           "and the console, which is a port of its own where `access` is tokens. "
                           "Off loopback, and for the console's verbs anywhere, it asks for tokens "
                           "with the scope operate; for /metrics metrics:read will do.",
                           kServing},
                          "an IP address", IsAddress, &Config::operations_bind));
  settings.push_back(TheOperationsPort());
  settings.push_back(
      Number({"rate_limit",
              "Requests a second of each token's owner, else of each address (IPv6: "
              "of its /64), that a process answers; twice as many may come at once. "
              "Above it: 429, and a pause on connections that are not of trusted_proxies: name "
              "your balancer there. 0: no limit.",
              kOfApis},
             "a number", 0, &Config::rate_limit, kRateMax));
  settings.push_back(
      Number({"rate_limit_strangers",
              "The same of each address, of requests without a token that is good.", kOfApis},
             "a number", 0, &Config::rate_limit_strangers, kRateMax));
  settings.push_back(
      Number({"requests_at_once",
              "Requests of each that wait, or whose answer lasts or is not sent yet, in a "
              "process. Above it: 429. 0: no limit.",
              kOfApis},
             "a number", 0, &Config::requests_at_once, kRateMax));
  settings.push_back(
      Number({"connections_per_address",
              "Connections of each address (IPv6: of its /64) that are open at once in a process, "
              "those of loopback and of trusted_proxies apart; as many, 1,000 at the least, may "
              "be opened in ten seconds. Above it they are closed. 0: no limit but that of all "
              "together, 12,000.",
              kServing},
             "a number", 0, &Config::connections_per_address, kRateMax));
  settings.push_back(
      Number({"idle_timeout_s",
              "How long a connection may be idle between requests. Longer than your balancer keeps "
              "its own, or it sends requests on connections that are being closed.",
              kServing},
             "seconds", 1, &Config::idle_timeout_s, kIdleMaxS));
  settings.push_back(
      List({"trusted_proxies",
            "Proxies whose X-Forwarded-For says where a request comes from: the last address "
            "there that is none of these. That of others does not count; the log warns once "
            "where a limit goes by addresses. All who come by a proxy that is not named share the "
            "limits of its address.",
            kOfApis},
           "a list of addresses, or networks as 10.0.0.0/8", IsNetwork, &Config::trusted_proxies));
  settings.push_back(File({"token_file",
                           "Verbs: the file of the token that they show to the services. Without "
                           "it, what `serve` left in its folder.",
                           {Program::kVerbs}},
                          &Config::token_file));
  settings.push_back(
      File({"ca_file",
            "Verbs: the certificates that the services' are verified with, under the "
            "first of `hosts`. Without it: the system's.",
            {Program::kVerbs}},
           &Config::ca_file));
  return settings;
}

std::optional<std::string> WhyNotAccess(const Config& config) {
  if (config.jwt_keys_file.empty() != config.jwt_issuer.empty() ||
      config.jwt_issuer.empty() != config.jwt_audience.empty()) {
    return "jwt_keys_file, jwt_issuer and jwt_audience belong together";
  }
  if (config.tls_certificate_file.empty() != config.tls_key_file.empty()) {
    return "tls_certificate_file and tls_key_file belong together";
  }
  switch (config.access) {
    case AccessMode::kOpen:
      for (const std::string& address : {config.bind, config.operations_bind}) {
        if (IsLoopback(address)) continue;
        return "access is open, and " + address + " is not on loopback: set access to tokens";
      }
      return std::nullopt;
    case AccessMode::kTokens:
      if (!config.tokens_file.empty() || !config.jwt_keys_file.empty()) return std::nullopt;
      return "access is tokens, and neither tokens_file nor jwt_keys_file is told";
  }
  return std::nullopt;
}

}  // namespace fanfold
