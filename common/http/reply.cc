#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "common/base/logging.h"
#include "common/http/http_server.h"
#include "common/http/problem.h"

namespace fanfold::http {

struct Reply::State {
  explicit State(Sink answer_sink) : sink(std::move(answer_sink)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    Answer([] { return Problem(problems::kInternal, "the request was left unanswered"); });
  }

  // A destructor may end here, so nothing may leave.
  template <class MakeResponse>
  void Answer(MakeResponse&& make) noexcept {
    if (answered.exchange(true)) return;
    try {
      sink(make());
    } catch (const std::exception& error) {
      LogError("answer lost", {{"why", error.what()}});
    }
  }

  Sink sink;
  std::atomic<bool> answered = false;
};

Reply::Reply(Sink sink) : state_(std::make_shared<State>(std::move(sink))) {}

void Reply::operator()(Response response) const {
  state_->Answer([&response] { return std::move(response); });
}

}  // namespace fanfold::http
