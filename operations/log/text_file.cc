#include "operations/log/text_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <iconv.h>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "operations/log/packed_file.h"

namespace fanfold::operations {
namespace {

struct TextEncoding {
  std::string_view mark;            // of the byte order, which the text begins with
  const char* converted = nullptr;  // as iconv calls it; null: it is UTF-8
};
constexpr TextEncoding kEncodings[] = {
    {"\xEF\xBB\xBF"}, {"\xFF\xFE", "UTF-16LE"}, {"\xFE\xFF", "UTF-16BE"}};

constexpr std::size_t kRawBytes = 64 * 1024;

bool IsOfNoText(char c) {
  constexpr std::string_view kOfText = "\t\n\v\f\r";
  const bool is_control = static_cast<unsigned char>(c) < 0x20;
  return is_control && kOfText.find(c) == std::string_view::npos;
}

}  // namespace

struct TextFile::State {
  State(std::string of, PackedFile bytes) : path(std::move(of)), file(std::move(bytes)) {}
  ~State() {
    if (converter) iconv_close(*converter);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] std::unexpected<Error> Wrong(std::string_view why) const {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{} {}", path, why));
  }
  Status FillRaw();
  Status TakeMark();
  Result<std::size_t> Copy(std::span<char> to);
  Result<std::size_t> Convert(std::span<char> to);
  Result<std::size_t> ReadBehindHead(std::span<char> to) {
    return converter ? Convert(to) : Copy(to);
  }
  Status ReadHead();

  const std::string path;
  PackedFile file;
  std::vector<char> raw = std::vector<char>(kRawBytes);
  std::size_t begin = 0;  // raw[begin, end) is not yet taken
  std::size_t end = 0;
  bool at_end = false;
  std::optional<iconv_t> converter;
  std::string head;  // read ahead
  std::size_t head_given = 0;
  bool by_cr = false;
  std::optional<Error> failed;  // met behind the head
};

// Reads behind what is left.
Status TextFile::State::FillRaw() {
  std::memmove(raw.data(), raw.data() + begin, end - begin);
  end -= std::exchange(begin, 0);
  const Result<std::size_t> count = file.Read(std::span(raw).subspan(end));
  if (!count) return std::unexpected(count.error());
  at_end = *count == 0;
  end += *count;
  return {};
}

Status TextFile::State::TakeMark() {
  constexpr std::size_t kMarkBytesMax = 3;
  while (!at_end && end < kMarkBytesMax) {
    if (Status filled = FillRaw(); !filled) return filled;
  }
  for (const TextEncoding& encoding : kEncodings) {
    if (!std::string_view(raw.data(), end).starts_with(encoding.mark)) continue;
    begin = encoding.mark.size();
    if (encoding.converted == nullptr) return {};
    const iconv_t opened = iconv_open("UTF-8", encoding.converted);
    if (opened == reinterpret_cast<iconv_t>(-1)) {
      return Wrong(fmt::format("is {}, which iconv does not know here", encoding.converted));
    }
    converter = opened;
    return {};
  }
  return {};
}

Result<std::size_t> TextFile::State::Copy(std::span<char> to) {
  if (begin == end) return file.Read(to);
  const std::size_t count = std::min(to.size(), end - begin);
  std::memcpy(to.data(), raw.data() + begin, count);
  begin += count;
  return count;
}

// Requires: `to` has room for a character.
Result<std::size_t> TextFile::State::Convert(std::span<char> to) {
  while (true) {
    char* in = raw.data() + begin;
    std::size_t in_left = end - begin;
    char* out = to.data();
    std::size_t out_left = to.size();
    const bool stopped = iconv(*converter, &in, &in_left, &out, &out_left) == std::size_t(-1);
    const int why = errno;
    begin = end - in_left;
    if (out_left < to.size()) return to.size() - out_left;
    if (stopped && why == EILSEQ) return Wrong("is not the UTF-16 that it begins as");
    if (at_end) {
      return in_left == 0 ? Result<std::size_t>(0) : Wrong("ends within a character of UTF-16");
    }
    if (Status filled = FillRaw(); !filled) return Forward(filled);
  }
}

Status TextFile::State::ReadHead() {
  if (Status taken = TakeMark(); !taken) return taken;
  head.resize(kHeadBytesMax);
  std::size_t filled = 0;
  constexpr std::size_t kCharacterBytesMax = 4;
  while (filled + kCharacterBytesMax <= head.size()) {
    const Result<std::size_t> count = ReadBehindHead(std::span(head).subspan(filled));
    if (!count) failed = count.error();
    if (!count || *count == 0) break;
    filled += *count;
  }
  if (failed && filled == 0) return std::unexpected(*failed);
  head.resize(filled);
  const auto found = std::ranges::find_if(head, IsOfNoText);
  if (found != head.end()) {
    return Wrong(
        fmt::format("is no text: byte {:#04x} stands at {} (UTF-16 is taken where it "
                    "begins with its byte order mark)",
                    static_cast<unsigned char>(*found), found - head.begin()));
  }
  by_cr = head.find('\r') != std::string::npos && head.find('\n') == std::string::npos;
  return {};
}

Result<TextFile> TextFile::Open(const std::string& path, Interrupt* interrupt) {
  Result<PackedFile> file = PackedFile::Open(path, interrupt);
  if (!file) return Forward(file);
  auto state = std::make_unique<State>(path, *std::move(file));
  if (Status read = state->ReadHead(); !read) return Forward(read);
  return TextFile(std::move(state));
}

Result<std::size_t> TextFile::Read(std::span<char> to) {
  State& state = *state_;
  if (state.head_given < state.head.size()) {
    const std::size_t count = std::min(to.size(), state.head.size() - state.head_given);
    std::memcpy(to.data(), state.head.data() + state.head_given, count);
    state.head_given += count;
    return count;
  }
  if (state.failed) return std::unexpected(*state.failed);
  return state.ReadBehindHead(to);
}

bool TextFile::ends_lines_by_cr() const noexcept { return state_->by_cr; }
std::int64_t TextFile::bytes_total() const noexcept { return state_->file.bytes_total(); }
std::int64_t TextFile::bytes_read() const noexcept { return state_->file.bytes_read(); }

TextFile::TextFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextFile::TextFile(TextFile&&) noexcept = default;
TextFile::~TextFile() = default;

}  // namespace fanfold::operations
