// One who follows changes. Internal to the board.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "reader/changes/change_board.h"

namespace fanfold::reader {

// All but what was asked is the board's, under its lock.
class Listener {
 public:
  explicit Listener(ListenerAsked what) : asked(std::move(what)) {}

  // Where they asked to begin.
  void PlaceIn(const ChangeWindow& window);
  // Requires: placed.
  [[nodiscard]] Claim JudgedBy(const ChangeWindow& window) const;

  const ListenerAsked asked;
  // Nothing: it was not placed yet, or, while it waits, it stands where the board does.
  std::shared_ptr<const ChangePlace> place;
  std::uint64_t number = 0;  // of the window's change that comes next
  bool greeted = false;
  bool left = false;
  bool in_step = false;  // its place is where the window stood before that one
  bool ahead = false;    // it waits, and its place lies beyond the board's
  std::string text;      // of the next part
  std::optional<http::PartSink> sink;
  std::optional<ChangeBoard::Waiting::iterator> waits;
  std::int64_t told_ms = 0;
};

}  // namespace fanfold::reader
