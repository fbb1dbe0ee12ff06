#include "common/base/followed_files.h"

#include <fmt/format.h>
#include <string_view>

#include "common/base/logging.h"
#include "common/base/read_file.h"

namespace fanfold {
namespace {

constexpr std::string_view kBorder("\0", 1);

std::unexpected<Error> Wrong(const std::string& names, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", names, why));
}

}  // namespace

Status FollowedFiles::Look() {
  Result<std::vector<std::string>> texts = Read();
  if (!texts) return Forward(texts);
  const std::size_t found = HashOf(*texts);
  if (found == taken_) return {};
  if (Status taken = take_(*texts); !taken) return Wrong(Names(), taken.error().message);
  taken_ = found;
  return {};
}

bool FollowedFiles::LookAgain(Gauge* broken) {
  const Status taken = Look();
  if (broken != nullptr) broken->Set(taken ? 0 : 1);
  const std::string wrong = taken ? "" : taken.error().message;
  if (wrong == told_) return taken.has_value();
  told_ = wrong;
  if (taken) {
    LogInfo("the file is taken again", {{"file", Names()}});
  } else {
    LogError("what the file said before holds", {{"why", wrong}});
  }
  return taken.has_value();
}

Result<std::vector<std::string>> FollowedFiles::Read() const {
  std::vector<std::string> texts;
  for (const std::string& path : paths_) {
    auto text = ReadRegularUpTo(path, bytes_max_);
    if (!text) return Wrong(path, text.error());
    if (text->size() > bytes_max_) return Wrong(path, "is too large");
    texts.push_back(*std::move(text));
  }
  return texts;
}

std::size_t FollowedFiles::HashOf(std::span<const std::string> texts) {
  return std::hash<std::string>()(fmt::format("{}", fmt::join(texts, kBorder)));
}

std::string FollowedFiles::Names() const { return fmt::format("{}", fmt::join(paths_, ", ")); }

}  // namespace fanfold
