// A line of a file to import, as an event. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/relation/event.h"
#include "operations/log/csv.h"
#include "operations/log/import_time.h"

namespace fanfold::operations {

enum class ImportFormat : std::uint8_t { kTsv, kJsonl, kCsv };

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

// Says what is wrong with a line.
using BadLine = std::string;

// Blank lines and those that begin with '#'.
[[nodiscard]] bool IsSkippedLine(std::string_view line) noexcept;

// By the first line that is not skipped: one that begins with '{' is JSONL, one with a comma or a
// semicolon CSV.
[[nodiscard]] ImportFormat FormatOf(std::string_view line) noexcept;

using ParsedLine = std::expected<ImportLine, BadLine>;

// `subject object [since]` between tabs or spaces, in quotes or not. A self-follow is a bad line.
[[nodiscard]] ParsedLine ParseTsvLine(std::string_view line, TimeUnit unit = TimeUnit::kMs);

// {"type","subject","object"[,"at"]} with type follow, unfollow or remove_fan; ids and times as
// strings or numbers. Another member, or a self-follow, is a bad line.
[[nodiscard]] ParsedLine ParseJsonLine(std::string_view line, TimeUnit unit = TimeUnit::kMs);

// Fields of CSV. A since that is empty is absent; a self-follow is a bad line.
[[nodiscard]] ParsedLine ParseCsvFields(const std::vector<std::string>& fields,
                                        const CsvPlaces& places, TimeUnit unit);

// In words, with what stands in their place.
[[nodiscard]] BadLine NotAnId(std::string_view name, std::string_view text);
[[nodiscard]] BadLine NotATime(std::string_view name, TimeUnit unit, std::string_view text);

}  // namespace fanfold::operations
