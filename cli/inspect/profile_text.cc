#include "cli/inspect/profile_text.h"

#include <fmt/format.h>

#include "operations/base/text.h"

namespace fanfold {
namespace {

struct Says {
  std::string operator()(const ProfileSet& set) const {
    std::string text;
    AppendProfile(text, set.profile);
    return operations::Escaped(text);
  }
  std::string operator()(const UserDeleted& deleted) const {
    return deleted.stays ? "the account ends, until it is restored" : "the account ends";
  }
  std::string operator()(const UserRestored& /*restored*/) const {
    return "the account is restored";
  }
};

}  // namespace

std::expected<std::string, Unreadable> ProfileRecordText(const LogRecord& record,
                                                         std::int32_t partitions) {
  const auto event = ReadProfileRecord(record.key, record.value, record.partition, partitions);
  if (!event) return std::unexpected(event.error());
  return fmt::format("user {}  {}  at {}", event->user.value, std::visit(Says(), event->what),
                     operations::IsoTime(event->at_ms));
}

}  // namespace fanfold
