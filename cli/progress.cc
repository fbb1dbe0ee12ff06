#include "cli/progress.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

#include "cli/display.h"

namespace fanfold {
namespace {

std::int64_t Rate(std::int64_t items, std::int64_t elapsed_ms) {
  return elapsed_ms > 0 ? static_cast<std::int64_t>(static_cast<double>(items) * 1000.0 /
                                                    static_cast<double>(elapsed_ms))
                        : 0;
}

std::string Bar(double fraction, int cells) {
  const auto filled = static_cast<int>(fraction * cells);
  return fmt::format("[{:#<{}}{:-<{}}]", "", filled, "", cells - filled);
}

std::string Eta(const ProgressState& state) {
  if (state.done <= 0) return "ETA ?";
  const double left = static_cast<double>(state.total - state.done);
  const double ms = static_cast<double>(state.elapsed_ms) * left / static_cast<double>(state.done);
  return "ETA " + ShortDuration(static_cast<std::int64_t>(ms));
}

}  // namespace

std::string FormatProgress(const ProgressState& state, int columns) {
  constexpr int kBarCellsMin = 10;
  constexpr int kBarCellsMax = 40;
  constexpr int kBarFrame = 2;  // the brackets
  std::string text = fmt::format("{} {}  {}/s", ShortCount(state.items), state.items_name,
                                 ShortCount(Rate(state.items, state.elapsed_ms)));
  if (state.total > 0) {
    const double fraction =
        std::clamp(static_cast<double>(state.done) / static_cast<double>(state.total), 0.0, 1.0);
    text = fmt::format("{:3.0f}%  {}  {}", fraction * 100.0, text, Eta(state));
    const int room = columns - static_cast<int>(text.size()) - kBarFrame - 2;
    if (room >= kBarCellsMin) text = Bar(fraction, std::min(room, kBarCellsMax)) + " " + text;
  }
  const auto width = static_cast<std::size_t>(std::max(columns - 1, 1));
  return text.substr(0, width);
}

Progress::Progress(Console& console, const Clock& clock)
    : console_(console),
      clock_(clock),
      started_ms_(clock.SteadyMs()),
      shown_ms_(clock.SteadyMs()) {}

Progress::~Progress() { Clear(); }

bool Progress::Due() const {
  const std::int64_t period_ms = console_.err_is_terminal() ? kRedrawMs : kPlainLineMs;
  return clock_.SteadyMs() - shown_ms_ >= period_ms;
}

void Progress::Show(const ProgressState& state) {
  ShowText(FormatProgress(state, console_.columns()));
}

void Progress::ShowText(std::string_view text) {
  shown_ms_ = clock_.SteadyMs();
  if (!console_.err_is_terminal()) {
    console_.Say(text);
    return;
  }
  const auto width = static_cast<std::size_t>(std::max(console_.columns() - 1, 1));
  console_.Redraw(text.substr(0, width));
  drawn_ = true;
}

void Progress::Clear() {
  if (drawn_) console_.Redraw("");
  drawn_ = false;
}

}  // namespace fanfold
