#include "operations/log/csv.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "common/base/trimmed.h"
#include "common/stream/ids.h"
#include "operations/base/text.h"

namespace fanfold::operations {
namespace {

// Takes a field in quotes from the front of `rest`, which begins with one; false: it does not end.
bool TakeQuoted(std::string_view& rest, std::string& field) {
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] != '"') {
      field += rest[i];
    } else if (rest.substr(i + 1).starts_with('"')) {
      field += rest[i++];
    } else {
      rest.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

std::optional<std::size_t> PlaceNumberOf(std::string_view name) {
  const auto number = ParseNonNegative(name);
  return number && *number > 0 ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
}

using PlaceFound = std::expected<std::size_t, std::string>;

PlaceFound PlaceIn(const std::vector<std::string>& header, const std::string& name) {
  const auto found = std::ranges::find(header, name);
  if (found == header.end()) {
    std::string names;
    for (const std::string& one : header) names += (names.empty() ? "" : ", ") + Escaped(one);
    constexpr std::size_t kShownBytesMax = 200;
    return std::unexpected(fmt::format(
        "the first line has no column {}, but {}: name the columns, as --columns "
        "subject=follower_id,object=followee_id,since=created_at does, or their places where there "
        "is no header, --columns subject=1,object=2",
        name, names.substr(0, kShownBytesMax)));
  }
  if (std::ranges::count(header, name) > 1) {
    return std::unexpected(fmt::format("the first line has the column {} twice", name));
  }
  return static_cast<std::size_t>(found - header.begin());
}

std::expected<CsvPlaces, std::string> PlacesByName(const CsvColumns& columns, bool needs_since,
                                                   const std::vector<std::string>& header) {
  const PlaceFound subject = PlaceIn(header, columns.subject);
  if (!subject) return std::unexpected(subject.error());
  const PlaceFound object = PlaceIn(header, columns.object);
  if (!object) return std::unexpected(object.error());
  CsvPlaces places{*subject, *object, std::nullopt, true};
  if (!columns.since) return places;
  const PlaceFound since = PlaceIn(header, *columns.since);
  if (since) places.since = *since;
  if (!since && needs_since) return std::unexpected(since.error());
  return places;
}

}  // namespace

char DelimiterOf(std::string_view line) noexcept {
  bool in_quotes = false;
  for (const char c : line) {
    if (c == '"') in_quotes = !in_quotes;
    if (!in_quotes && (c == ',' || c == ';' || c == '\t')) return c;
  }
  return ',';
}

std::string_view Unquoted(std::string_view field) noexcept {
  const bool quoted = field.size() > 1 && field.starts_with('"') && field.ends_with('"');
  return quoted ? field.substr(1, field.size() - 2) : field;
}

CsvQuotes::At CsvQuotes::Behind(char c) const noexcept {
  const bool is_blank = kBlanks.find(c) != std::string_view::npos;
  switch (at_) {
    case At::kFieldStart:
      if (c == '"') return At::kQuoted;
      return c == delimiter_ || c == ' ' ? At::kFieldStart : At::kUnquoted;
    case At::kUnquoted:
      return c == delimiter_ ? At::kFieldStart : At::kUnquoted;
    case At::kQuoted:
      return c == '"' ? At::kQuote : At::kQuoted;
    case At::kQuote:
      if (c == '"') return At::kQuoted;
      [[fallthrough]];
    case At::kBehindQuoted:
      if (c == delimiter_) return At::kFieldStart;
      return is_blank ? At::kBehindQuoted : At::kWrong;
    case At::kWrong:
      break;
  }
  return At::kWrong;
}

bool SplitCsv(std::string_view record, char delimiter, std::vector<std::string>& fields) {
  std::size_t count = 0;
  for (std::string_view rest = record;; rest.remove_prefix(1)) {
    if (fields.size() == count) fields.emplace_back();
    std::string& field = fields[count++];
    field.clear();
    const std::string_view unblanked =
        rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
    if (unblanked.starts_with('"') && delimiter != '\t') {
      rest = unblanked;
      if (!TakeQuoted(rest, field)) return false;
      const std::size_t end = std::min(rest.find(delimiter), rest.size());
      if (!Trimmed(rest.substr(0, end)).empty()) return false;
      rest.remove_prefix(end);
    } else {
      const std::size_t end = std::min(rest.find(delimiter), rest.size());
      field = Unquoted(Trimmed(rest.substr(0, end)));
      rest.remove_prefix(end);
    }
    if (rest.empty()) break;
  }
  fields.resize(count);
  return true;
}

std::expected<CsvColumns, std::string> ParseColumns(std::string_view text) {
  constexpr const char* kWanted = "columns are given as subject=NAME,object=NAME[,since=NAME]";
  std::array<std::optional<std::string>, 3> names;
  constexpr std::array<std::string_view, 3> kWhat = {"subject", "object", "since"};
  for (bool more = true; more;) {
    const std::string_view one = text.substr(0, text.find(','));
    const std::size_t equals = one.find('=');
    const auto what = std::ranges::find(kWhat, Trimmed(one.substr(0, equals)));
    if (equals == std::string_view::npos || what == kWhat.end()) return std::unexpected(kWanted);
    std::optional<std::string>& name = names[static_cast<std::size_t>(what - kWhat.begin())];
    if (name) return std::unexpected(fmt::format("{} is named twice", *what));
    name = Trimmed(one.substr(equals + 1));
    if (name->empty()) return std::unexpected(kWanted);
    more = one.size() < text.size();
    if (more) text.remove_prefix(one.size() + 1);
  }
  if (!names[0] || !names[1]) return std::unexpected(kWanted);
  const auto is_number = [](const auto& name) { return !name || PlaceNumberOf(*name); };
  const auto is_name = [](const auto& name) { return !name || !PlaceNumberOf(*name); };
  if (!std::ranges::all_of(names, is_number) && !std::ranges::all_of(names, is_name)) {
    return std::unexpected("columns are all names of a header, or all places from 1 on");
  }
  return CsvColumns{*std::move(names[0]), *std::move(names[1]), std::move(names[2])};
}

std::expected<CsvPlaces, std::string> PlacesOf(const std::optional<CsvColumns>& columns,
                                               const std::vector<std::string>& first) {
  if (!columns) {
    if (!ParseUserId(first.front())) return PlacesByName({}, false, first);
    return CsvPlaces{0, 1, first.size() > 2 ? std::optional<std::size_t>(2) : std::nullopt, false};
  }
  const auto subject = PlaceNumberOf(columns->subject);
  const auto object = PlaceNumberOf(columns->object);
  if (!subject || !object) return PlacesByName(*columns, true, first);
  CsvPlaces places{*subject - 1, *object - 1, std::nullopt, false};
  if (columns->since) places.since = PlaceNumberOf(*columns->since).value_or(0) - 1;
  return places;
}

}  // namespace fanfold::operations
