#include "operations/log/line_source.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "operations/log/csv.h"
#include "operations/log/import_line.h"
#include "operations/log/text_file.h"

namespace fanfold::operations {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;

}  // namespace

struct LineSource::State {
  State(TextFile text, std::size_t line_max)
      : file(std::move(text)),
        line_bytes_max(line_max),
        newline(file.ends_lines_by_cr() ? '\r' : '\n'),
        buffer(kReadBytes + line_max) {}

  TextFile file;
  const std::size_t line_bytes_max;
  const char newline;
  std::vector<char> buffer;
  std::size_t begin = 0;  // buffer[begin, end) is not yet given out
  std::size_t end = 0;
  std::size_t searched = 0;              // no end of the line in buffer[begin, begin + searched)
  std::optional<char> delimiter;         // of CSV
  std::optional<CsvQuotes> quotes;       // of the line, as far as it was searched
  std::optional<std::size_t> first_end;  // of a line that quotes join to the next
  std::int64_t file_lines = 1;           // that the line has so far
  bool skipping = false;                 // inside a line that is too long
  bool at_end = false;

  [[nodiscard]] std::size_t left() const { return end - begin; }
  Status Fill();
  std::optional<SourceLine> Take();
  std::optional<std::size_t> FindEnd();
  void Pass(std::size_t to);
  bool Joins(std::size_t at);
  SourceLine Give(std::size_t length, std::size_t newline_bytes);
  SourceLine GiveFirst();
};

// Moves what is left to the front and reads behind it.
Status LineSource::State::Fill() {
  std::memmove(buffer.data(), buffer.data() + begin, left());
  end = left();
  begin = 0;
  const Result<std::size_t> count = file.Read(std::span(buffer).subspan(end));
  if (!count) return std::unexpected(count.error());
  at_end = *count == 0;
  end += *count;
  return {};
}

SourceLine LineSource::State::Give(std::size_t length, std::size_t newline_bytes) {
  SourceLine line{std::string_view(buffer.data() + begin, length), false,
                  std::exchange(file_lines, 1)};
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  if (std::exchange(skipping, false) || line.text.size() > line_bytes_max) {
    line = {{}, true, line.file_lines};
  }
  begin += length + newline_bytes;
  searched = 0;
  first_end.reset();
  quotes.reset();
  if (delimiter) quotes.emplace(*delimiter);
  return line;
}

// Of a line whose quotes are no CSV's, or close too late.
SourceLine LineSource::State::GiveFirst() {
  file_lines = 1;
  return Give(*first_end, 1);
}

void LineSource::State::Pass(std::size_t to) {
  if (quotes && !skipping) quotes->Pass({buffer.data() + begin + searched, to - searched});
  searched = to;
}

// Whether quotes take in the end of a line of the file that is at `at`.
bool LineSource::State::Joins(std::size_t at) {
  if (skipping || !quotes || !quotes->are_open()) return false;
  if (!first_end && IsSkippedLine({buffer.data() + begin, at})) return false;
  first_end = first_end.value_or(at);
  return true;
}

// Of the line that begins at `begin`, relative to it.
std::optional<std::size_t> LineSource::State::FindEnd() {
  const char* const base = buffer.data() + begin;
  while (const void* found = std::memchr(base + searched, newline, left() - searched)) {
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - base);
    Pass(at);
    if (!Joins(at) || at > line_bytes_max) return at;
    Pass(at + 1);
    ++file_lines;
  }
  Pass(left());
  return std::nullopt;
}

// A line that is in the buffer, or what remains at the end of the file.
std::optional<SourceLine> LineSource::State::Take() {
  const std::optional<std::size_t> length = FindEnd();
  const bool is_whole = length || at_end;
  // One more may be a carriage return.
  const bool is_too_long = length ? *length > line_bytes_max : left() > line_bytes_max + 1;
  const bool is_no_csv = quotes && (quotes->are_wrong() || (is_whole && quotes->are_open()));
  if (first_end && (is_too_long || is_no_csv)) return GiveFirst();
  if (length) return Give(*length, 1);
  if (at_end && (left() > 0 || skipping)) return Give(left(), 0);
  if (is_too_long) {
    skipping = true;
    begin = end;
    searched = 0;
  }
  return std::nullopt;
}

Result<LineSource> LineSource::Open(const std::string& path, std::size_t line_bytes_max,
                                    Interrupt* interrupt) {
  Result<TextFile> file = TextFile::Open(path, interrupt);
  if (!file) return Forward(file);
  return LineSource(std::make_unique<State>(*std::move(file), line_bytes_max));
}

void LineSource::JoinQuoted(char delimiter) noexcept {
  state_->delimiter = delimiter;
  state_->quotes.emplace(delimiter);
}

Result<std::optional<SourceLine>> LineSource::Next() {
  while (true) {
    if (std::optional<SourceLine> line = state_->Take()) return line;
    if (state_->at_end) return std::nullopt;
    if (Status filled = state_->Fill(); !filled) return Forward(filled);
  }
}

std::int64_t LineSource::bytes_total() const noexcept { return state_->file.bytes_total(); }
std::int64_t LineSource::bytes_read() const noexcept { return state_->file.bytes_read(); }

LineSource::LineSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
LineSource::LineSource(LineSource&&) noexcept = default;
LineSource::~LineSource() = default;

}  // namespace fanfold::operations
