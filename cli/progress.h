// How far a long verb has come: a bar on a terminal, now and then a line elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/console.h"
#include "common/base/clock.h"

namespace fanfold {

struct ProgressState {
  std::int64_t done = 0;   // of `total`, in whatever measure
  std::int64_t total = 0;  // 0 = not known: no bar, no ETA
  std::int64_t items = 0;  // what the rate counts
  std::string_view items_name;
  std::int64_t elapsed_ms = 0;
};

// "[######------]  50%  1.20M lines  310k/s  ETA 0:04", fitted into `columns`. Pure.
[[nodiscard]] std::string FormatProgress(const ProgressState& state, int columns);

// One thread at a time.
class Progress {
 public:
  static constexpr std::int64_t kRedrawMs = 100;
  static constexpr std::int64_t kPlainLineMs = 5000;

  Progress(Console& console, const Clock& clock);
  // Leaves the terminal's line empty.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Is it time to show something? Cheap enough to ask often, not for every line.
  [[nodiscard]] bool Due() const;
  void Show(const ProgressState& state);
  void ShowText(std::string_view text);
  // Empties the line, so that something else can be said.
  void Clear();
  [[nodiscard]] std::int64_t elapsed_ms() const { return clock_.SteadyMs() - started_ms_; }

 private:
  Console& console_;
  const Clock& clock_;
  const std::int64_t started_ms_;
  std::int64_t shown_ms_;
  bool drawn_ = false;
};

}  // namespace fanfold
