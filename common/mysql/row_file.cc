#include "common/mysql/row_file.h"

#include <cerrno>
#include <fmt/format.h>
#include <string_view>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

#include "common/mysql/edge_rows.h"
#include "common/sql/failure.h"

namespace fanfold::mysql {
namespace {

std::string TextOf(std::span<const EdgeRow> rows) {
  std::string text;
  for (const EdgeRow& row : rows) {
    AppendRow(text, row, '\t');
    text += '\n';
  }
  return text;
}

Failure SystemFailure(std::string_view what) {
  return {ErrorCode::kUnavailable,
          fmt::format("{}: {}", what, std::generic_category().message(errno))};
}

void WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0) throw SystemFailure("rows to load");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

RowFile::RowFile(std::span<const EdgeRow> rows) : descriptor_(memfd_create("rows", MFD_CLOEXEC)) {
  if (descriptor_ < 0) throw SystemFailure("a file in memory");
  try {
    WriteAll(descriptor_, TextOf(rows));
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

RowFile::~RowFile() { close(descriptor_); }

std::string RowFile::path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

}  // namespace fanfold::mysql
