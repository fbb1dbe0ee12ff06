// Who holds lanes that somebody else wants to take, as far as looks at their rows can tell. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace fanfold::mysql {

// When, and with which connection, a row was written: each taking, batch and order sets both. Two
// writings of one connection in one millisecond look the same.
using Writing = std::pair<std::string, std::uint64_t>;
using Writings = std::set<Writing>;

// Looks at the same rows, one after the other; `seen` are those of uncommitted writings, too.
struct WritingLooks {
  Writings seen;
  Writings committed;
  Writings seen_again;
  Writings committed_again;
};

// The connections whose open transactions have written these rows. A row's connection says nothing
// once that is committed: it may hold nothing since, or be another one with the number of an
// earlier start. So a writing counts that is seen twice, and is committed neither between nor
// after.
[[nodiscard]] std::set<std::uint64_t> HoldersOf(const WritingLooks& looks);

}  // namespace fanfold::mysql
