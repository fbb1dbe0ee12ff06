// CSV (RFC 4180): its fields, and which of them are a follow's. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fanfold::operations {

// Commas, semicolons or tabs, whichever stands first outside quotes; a comma where none does.
[[nodiscard]] char DelimiterOf(std::string_view line) noexcept;

// Splits a record into fields. Quoted fields stay as they are, "" in them a quote; the others lose
// the blanks around them. Between tabs, as databases write them, a quote is text unless quotes
// stand around the field. False: a quote is not closed, or something stands behind a closed one.
[[nodiscard]] bool SplitCsv(std::string_view record, char delimiter,
                            std::vector<std::string>& fields);

// Without the quotes that stand around it.
[[nodiscard]] std::string_view Unquoted(std::string_view field) noexcept;

// Follows a record's quotes, as SplitCsv reads them, between commas or semicolons.
class CsvQuotes {
 public:
  explicit CsvQuotes(char delimiter) noexcept : delimiter_(delimiter) {}

  void Pass(std::string_view bytes) noexcept {
    for (const char c : bytes) at_ = Behind(c);
  }
  // An end of the line would be part of a field.
  [[nodiscard]] bool are_open() const noexcept { return at_ == At::kQuoted; }
  // SplitCsv refuses the record, whatever follows.
  [[nodiscard]] bool are_wrong() const noexcept { return at_ == At::kWrong; }

 private:
  enum class At : std::uint8_t { kFieldStart, kUnquoted, kQuoted, kQuote, kBehindQuoted, kWrong };
  [[nodiscard]] At Behind(char c) const noexcept;

  char delimiter_;
  At at_ = At::kFieldStart;
};

// The names of the columns in the file's header or, where all are numbers, their places in a file
// without one, from 1 on.
struct CsvColumns {
  std::string subject = "subject";
  std::string object = "object";
  std::optional<std::string> since = "since";
  friend bool operator==(const CsvColumns&, const CsvColumns&) = default;
};

// subject=NAME,object=NAME[,since=NAME], in any order. Errors: in words for whoever typed it.
[[nodiscard]] std::expected<CsvColumns, std::string> ParseColumns(std::string_view text);

// Where the columns stand, from 0 on.
struct CsvPlaces {
  std::size_t subject = 0;
  std::size_t object = 1;
  std::optional<std::size_t> since;
  bool has_header = false;
  friend bool operator==(const CsvPlaces&, const CsvPlaces&) = default;
};

// By the file's first line. Without `columns` they are called as CsvColumns says, where `since` may
// be missing, or stand in that order where the line begins with an id. Errors: in words, the header
// lacks a column or has it twice.
[[nodiscard]] std::expected<CsvPlaces, std::string> PlacesOf(
    const std::optional<CsvColumns>& columns, const std::vector<std::string>& first);

}  // namespace fanfold::operations
