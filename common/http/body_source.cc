#include "common/http/body_source.h"

#include <atomic>
#include <exception>
#include <utility>

#include "common/base/logging.h"

namespace fanfold::http {

struct PartSink::State {
  explicit State(Taker part_taker) : taker(std::move(part_taker)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { Give(std::nullopt); }

  // A destructor may end here, so nothing may leave.
  void Give(std::optional<BodyPart> part) noexcept {
    if (given.exchange(true)) return;
    try {
      taker(std::move(part));
    } catch (const std::exception& error) {
      LogError("part of a body lost", {{"why", error.what()}});
    }
  }

  Taker taker;
  std::atomic<bool> given = false;
};

PartSink::PartSink(Taker taker) : state_(std::make_shared<State>(std::move(taker))) {}

void PartSink::operator()(BodyPart part) const { state_->Give(std::move(part)); }

}  // namespace fanfold::http
