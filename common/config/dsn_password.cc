#include "common/config/dsn_password.h"

#include <algorithm>
#include <optional>

namespace fanfold {
namespace {

struct Stretch {
  std::size_t from = 0;
  std::size_t size = 0;
};

// From the first colon behind the scheme to the last @ before the path, as a parser has it, or
// before the parameters where that is further: the password may be mistyped.
std::optional<Stretch> BeforeHost(std::string_view dsn) {
  constexpr std::string_view kScheme = "://";
  const std::size_t scheme = dsn.find(kScheme);
  const std::size_t from = scheme == dsn.npos ? 0 : scheme + kScheme.size();
  const std::size_t colon = dsn.find(':', from);
  const std::size_t end = std::max(std::min(dsn.find('/', from), dsn.size()),
                                   std::min(dsn.find('?', from), dsn.size()));
  std::size_t at = dsn.substr(0, end).rfind('@');
  if (at == dsn.npos) at = dsn.rfind('@');
  if (colon == dsn.npos || at == dsn.npos || colon > at) return std::nullopt;
  return Stretch{colon + 1, at - colon - 1};
}

// A parameter that is none: its file is.
std::optional<Stretch> InParameters(std::string_view dsn) {
  constexpr std::string_view kName = "password=";
  const std::size_t name = dsn.find(kName);
  if (name == dsn.npos) return std::nullopt;
  const std::size_t from = name + kName.size();
  return Stretch{from, std::min(dsn.find('&', from), dsn.size()) - from};
}

}  // namespace

bool HoldsPassword(std::string_view dsn) { return BeforeHost(dsn) || InParameters(dsn); }

// A stretch that goes may have held what another one was taken to end at: looked at again until
// nothing more goes.
std::string WithoutPassword(std::string_view dsn) {
  std::string shown(dsn);
  std::string before;
  do {
    before = shown;
    for (const auto find : {BeforeHost, InParameters}) {
      if (const auto found = find(shown)) shown.replace(found->from, found->size, "***");
    }
  } while (shown != before);
  return shown;
}

}  // namespace fanfold
