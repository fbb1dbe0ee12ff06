#include "common/config/dsn_password.h"

#include <optional>

namespace fanfold {
namespace {

// Behind the colon.
std::optional<std::string_view> PasswordOf(std::string_view dsn) {
  constexpr std::string_view kScheme = "://";
  const std::size_t scheme = dsn.find(kScheme);
  if (scheme == dsn.npos) return std::nullopt;
  const std::size_t from = scheme + kScheme.size();
  const std::size_t at = dsn.rfind('@', dsn.find('/', from));
  const std::size_t colon = dsn.find(':', from);
  if (at == dsn.npos || at < from || colon >= at) return std::nullopt;
  return dsn.substr(colon + 1, at - colon - 1);
}

}  // namespace

bool HoldsPassword(std::string_view dsn) { return PasswordOf(dsn).has_value(); }

std::string WithoutPassword(std::string_view dsn) {
  const std::optional<std::string_view> password = PasswordOf(dsn);
  std::string shown(dsn);
  if (password) {
    shown.replace(static_cast<std::size_t>(password->data() - dsn.data()), password->size(), "***");
  }
  return shown;
}

}  // namespace fanfold
