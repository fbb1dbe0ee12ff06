// Who may use a route, as schemas/openapi.yaml has it: `security` and `x-user`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace fanfold::http {

// The user whose request it is. A principal with a user asks for that user alone.
enum class WhoseRequest : std::uint8_t {
  kAnybodys,
  kOfPath,   // of the user that the path names first
  kOfQuery,  // of the user in the parameter that says kIsUser
  kOfBody,   // the handler looks at each thing in it
};

enum class ParameterIs : std::uint8_t {
  kUser,         // the user whose request it is, where it is given
  kForServices,  // not for a principal with a user
  kForScope,     // for those that have another scope, too
};

struct ParameterRule {
  std::string_view name;
  ParameterIs is = ParameterIs::kUser;
  std::string_view scope = {};  // of kForScope
};

struct RouteRule {
  std::string_view route;          // "GET /v1/…"
  bool is_public = false;          // asks for no token
  std::string_view scope = {};     // empty: any good token will do
  std::string_view or_scope = {};  // does as well; empty: no other
  WhoseRequest whose = WhoseRequest::kAnybodys;
  bool streams = false;  // its answer may last
  std::span<const ParameterRule> parameters = {};
};

}  // namespace fanfold::http
