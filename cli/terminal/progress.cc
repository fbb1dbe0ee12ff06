#include "cli/terminal/progress.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/audit/differences.h"
#include "common/base/json_text.h"
#include "common/ports/generation_operations.h"
#include "operations/base/text.h"
#include "projector/audit/verifier.h"

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

std::string Eta(const operations::ProgressState& state) {
  if (state.done <= 0) return "ETA ?";
  const double left = static_cast<double>(state.total - state.done);
  const double ms = static_cast<double>(state.elapsed_ms) * left / static_cast<double>(state.done);
  return "ETA " + operations::ShortDuration(static_cast<std::int64_t>(ms));
}

nlohmann::json StateJson(const operations::ProgressState& state) {
  return {{"done", state.done},
          {"total", state.total},
          {"items", state.items},
          {"items_name", state.items_name},
          {"elapsed_ms", state.elapsed_ms}};
}

nlohmann::json StepJson(const operations::StepDone& step) {
  nlohmann::json line = {{"projection", ToString(step.projection)},
                         {"generation", step.generation.value},
                         {"step", step.what},
                         {"elapsed_ms", step.elapsed_ms}};
  if (step.verified == nullptr) return line;
  line["differences"] = step.verified->found;
  line["items"] = nlohmann::json::parse(ItemsJson(step.verified->differences));
  return line;
}

}  // namespace

std::string FormatProgress(const operations::ProgressState& state, int columns) {
  constexpr int kBarCellsMin = 10;
  constexpr int kBarCellsMax = 40;
  constexpr int kBarFrame = 2;  // the brackets
  std::string text =
      fmt::format("{} {}  {}/s", operations::ShortCount(state.items), state.items_name,
                  operations::ShortCount(Rate(state.items, state.elapsed_ms)));
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

void TerminalProgress::Show(const operations::ProgressState& state) {
  if (console_.has_progress()) return console_.Tell(OneLine(StateJson(state)));
  ShowText(FormatProgress(state, console_.columns()));
}

void TerminalProgress::ShowText(std::string_view text) {
  if (console_.has_progress()) return console_.Tell(OneLine(nlohmann::json{{"text", text}}));
  if (!console_.err_is_terminal()) {
    console_.Say(text);
    return;
  }
  const auto width = static_cast<std::size_t>(std::max(console_.columns() - 1, 1));
  console_.Redraw(text.substr(0, width));
  drawn_ = true;
}

void TerminalProgress::Clear() {
  if (drawn_) console_.Redraw("");
  drawn_ = false;
}

void TerminalProgress::Step(const operations::StepDone& step) {
  if (json_) {
    console_.PrintLine(OneLine(StepJson(step)));
  } else {
    if (step.verified != nullptr) {
      for (const projector::Difference& difference : step.verified->differences) {
        console_.Say(ToText(difference));
      }
    }
    console_.PrintLine(fmt::format("{} {}", NameOf(step.projection, step.generation), step.what));
  }
  console_.Flush();
}

void TerminalProgress::Note(std::string_view text) {
  Clear();
  console_.Say(text);
}

}  // namespace fanfold
