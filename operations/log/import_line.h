// A line of a file to import, as an event. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "common/relation/event.h"

namespace fanfold::operations {

enum class ImportFormat : std::uint8_t { kTsv, kJsonl };

// The longest line that is read, in bytes without its end; a longer one is a bad line.
inline constexpr std::size_t kImportLineBytesMax = 16'384;

struct ImportLine {
  EventType type = EventType::kFollow;
  UserId subject;
  UserId object;
  AskedBy by = AskedBy::kSubject;
  std::optional<std::int64_t> at_ms;  // absent: the time of append
  friend bool operator==(const ImportLine&, const ImportLine&) = default;
};

// What is wrong with a line, in words.
using BadLine = std::string;

// Blank lines and those that begin with '#'.
[[nodiscard]] bool IsSkippedLine(std::string_view line) noexcept;

// By the first line that is not skipped: one that begins with '{' is JSONL.
[[nodiscard]] ImportFormat FormatOf(std::string_view line) noexcept;

// `subject object [since_ms]` between tabs or spaces, or {"type","subject","object"[,"at"]} with
// type follow, unfollow or remove_fan; ids as strings or integers. Another member, or a
// self-follow, is a bad line.
[[nodiscard]] std::expected<ImportLine, BadLine> ParseImportLine(ImportFormat format,
                                                                 std::string_view line);

}  // namespace fanfold::operations
