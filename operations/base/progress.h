// The progress that a long operation tells. Callers show it as they like.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/ports/lane.h"

namespace fanfold::projector {
struct VerifyReport;
}

namespace fanfold::operations {

struct ProgressState {
  std::int64_t done = 0;   // of `total`, in whatever measure
  std::int64_t total = 0;  // 0 = not known
  std::int64_t items = 0;  // what a rate counts
  std::string_view items_name;
  std::int64_t elapsed_ms = 0;
};

// A step that is done, of work that has several.
struct StepDone {
  Projection projection;
  Generation generation{1};
  std::string_view what;        // "is loading"
  std::int64_t elapsed_ms = 0;  // since the first step of this projection
  const projector::VerifyReport* verified =
      nullptr;  // of a step that verified; valid during the call
};

// Called by the thread that runs the operation, which waits meanwhile. No method throws.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;

  // How far it is, at most so often.
  [[nodiscard]] virtual std::int64_t period_ms() const = 0;
  virtual void Show(const ProgressState& state) = 0;
  // Why it comes no further at the moment; stands for Show.
  virtual void ShowText(std::string_view text) = 0;
  // The last shown progress is over.
  virtual void Clear() = 0;

  virtual void Step(const StepDone& step) = 0;
  // Something that whoever asked has to know, and no failure. A sentence without a line end.
  virtual void Note(std::string_view text) = 0;
};

}  // namespace fanfold::operations
