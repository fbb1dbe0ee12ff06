#include "common/feed/inbox.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace fanfold {
namespace {

// Numbers as LEB128: seven bits a byte, the lowest first.
void Append(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

// Small ones of either sign stay small.
std::uint64_t Folded(std::uint64_t difference) noexcept {
  return (difference << 1) ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
std::uint64_t Unfolded(std::uint64_t folded) noexcept {
  return (folded >> 1) ^ ((folded & 1) != 0 ? ~std::uint64_t{0} : 0);
}

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}

  [[nodiscard]] bool AtEnd() const noexcept { return left_.empty(); }
  // Nothing: they end in the midst of it.
  std::optional<std::uint64_t> Number() noexcept {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      number |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return number;
    }
    return std::nullopt;
  }
  // How many things of at least `least` bytes follow.
  std::optional<std::size_t> Count(std::size_t least) noexcept {
    const std::optional<std::uint64_t> count = Number();
    if (!count || *count > left_.size() / least) return std::nullopt;
    return static_cast<std::size_t>(*count);
  }

 private:
  std::string_view left_;
};

// Each is told as how far it is from the one before.
class Differences {
 public:
  void Append(std::string& out, std::uint64_t number) {
    fanfold::Append(out, Folded(number - last_));
    last_ = number;
  }
  bool Read(Bytes& bytes, std::uint64_t& number) {
    const std::optional<std::uint64_t> folded = bytes.Number();
    if (!folded) return false;
    last_ += Unfolded(*folded);
    number = last_;
    return true;
  }

 private:
  std::uint64_t last_ = 0;
};

bool ReadPosted(Bytes& bytes, std::vector<InboxEntry>& posted) {
  const auto count = bytes.Count(3);
  if (!count) return false;
  posted.reserve(*count);
  Differences scores;
  Differences authors;
  for (std::size_t i = 0; i < *count; ++i) {
    std::uint64_t score = 0;
    InboxEntry entry;
    if (!scores.Read(bytes, score) || !authors.Read(bytes, entry.author.value)) return false;
    const auto post = bytes.Number();
    if (!post) return false;
    entry.score = static_cast<std::int64_t>(score);
    entry.post = PostId(*post);
    posted.push_back(entry);
  }
  return true;
}

bool ReadDeleted(Bytes& bytes, std::vector<InboxPost>& deleted) {
  const auto count = bytes.Count(2);
  if (!count) return false;
  deleted.reserve(*count);
  Differences authors;
  for (std::size_t i = 0; i < *count; ++i) {
    InboxPost one;
    if (!authors.Read(bytes, one.author.value)) return false;
    const auto post = bytes.Number();
    if (!post) return false;
    one.post = PostId(*post);
    deleted.push_back(one);
  }
  return true;
}

bool ReadPulled(Bytes& bytes, std::vector<UserId>& pulled) {
  const auto count = bytes.Count(1);
  if (!count) return false;
  pulled.resize(*count);
  Differences authors;
  return std::ranges::all_of(pulled,
                             [&](UserId& author) { return authors.Read(bytes, author.value); });
}

template <class Item>
void SortUnique(std::vector<Item>& items) {
  std::ranges::sort(items);
  const auto repeats = std::ranges::unique(items);
  items.erase(repeats.begin(), repeats.end());
}

template <class Item>
void Join(std::vector<Item>& all, const std::vector<Item>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

std::string EncodeInboxPart(const InboxPart& part) {
  std::string out;
  Append(out, part.posted.size());
  Differences scores;
  Differences of_posted;
  for (const InboxEntry& entry : part.posted) {
    scores.Append(out, static_cast<std::uint64_t>(entry.score));
    of_posted.Append(out, entry.author.value);
    Append(out, entry.post.value);
  }
  Append(out, part.deleted.size());
  Differences of_deleted;
  for (const InboxPost& one : part.deleted) {
    of_deleted.Append(out, one.author.value);
    Append(out, one.post.value);
  }
  Append(out, part.pulled.size());
  Differences of_pulled;
  for (const UserId author : part.pulled) of_pulled.Append(out, author.value);
  return out;
}

Result<InboxPart> DecodeInboxPart(std::string_view text) {
  Bytes bytes(text);
  InboxPart part;
  if (ReadPosted(bytes, part.posted) && ReadDeleted(bytes, part.deleted) &&
      ReadPulled(bytes, part.pulled) && bytes.AtEnd()) {
    return part;
  }
  return Fail(ErrorCode::kInternal, "a part of an inbox is damaged");
}

Inbox InboxOf(std::span<const InboxPart> parts, const InboxEntry& floor) {
  Inbox inbox{{}, floor};
  InboxPart& all = inbox.all;
  for (const InboxPart& part : parts) {
    Join(all.posted, part.posted);
    Join(all.deleted, part.deleted);
    Join(all.pulled, part.pulled);
  }
  SortUnique(all.deleted);
  SortUnique(all.pulled);
  std::erase_if(all.posted, [&](const InboxEntry& entry) {
    return std::ranges::binary_search(all.pulled, entry.author) ||
           std::ranges::binary_search(all.deleted, InboxPost{entry.author, entry.post});
  });
  std::ranges::sort(all.posted, std::greater());
  const auto repeats = std::ranges::unique(all.posted);
  all.posted.erase(repeats.begin(), repeats.end());
  return inbox;
}

void Inbox::Trim(std::size_t length) {
  std::vector<InboxEntry>& posted = all.posted;
  const auto below = std::ranges::partition_point(
      posted, [this](const InboxEntry& entry) { return entry >= floor; });
  posted.erase(below, posted.end());
  if (posted.size() <= length) return;
  posted.resize(length);
  floor = posted.back();
}

}  // namespace fanfold
