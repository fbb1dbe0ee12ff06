// How far a long verb has come: a bar on a terminal, now and then a line elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/terminal/console.h"
#include "operations/base/progress.h"

namespace fanfold {

// "[######------]  50%  1.20M lines  310k/s  ETA 0:04", fitted into `columns`. Pure.
[[nodiscard]] std::string FormatProgress(const operations::ProgressState& state, int columns);

// Progress and notes on stderr, or progress where the console has a place for it; steps on stdout,
// each a line, with `json` an object. One thread at a time.
class TerminalProgress final : public operations::ProgressSink {
 public:
  static constexpr std::int64_t kRedrawMs = 100;
  static constexpr std::int64_t kPlainLineMs = 5000;

  // Both outlive it; `json` may change.
  TerminalProgress(Console& console, const bool& json) : console_(console), json_(json) {}

  [[nodiscard]] std::int64_t period_ms() const override {
    return console_.err_is_terminal() || console_.has_progress() ? kRedrawMs : kPlainLineMs;
  }
  void Show(const operations::ProgressState& state) override;
  // To a console with a place for it: {"done","total","items","items_name","elapsed_ms"}, or of a
  // text {"text"}.
  void ShowText(std::string_view text) override;
  // Empties the terminal's line, so that something else can be said.
  void Clear() override;
  void Step(const operations::StepDone& step) override;
  void Note(std::string_view text) override;

 private:
  Console& console_;
  const bool& json_;
  bool drawn_ = false;
};

}  // namespace fanfold
