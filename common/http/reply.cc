#include <atomic>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <ranges>
#include <string>
#include <utility>

#include "common/base/logging.h"
#include "common/http/byte_budget.h"
#include "common/http/http_server.h"
#include "common/http/problem.h"

namespace fanfold::http {
namespace {

// A route's meter, a token's end, a seat among its owner's requests.
constexpr std::size_t kFiltersUsual = 3;

}  // namespace

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
      sink(Filtered(make()));
    } catch (const std::exception& error) {
      LogError("answer lost", {{"why", error.what()}});
    }
  }

  Response Filtered(Response response) {
    for (Filter& filter : std::views::reverse(filters)) {
      try {
        filter(response);
      } catch (const std::exception& error) {
        LogError("an answer was spoilt", {{"why", error.what()}});
        response = Problem(problems::kInternal, "the answer could not be finished");
      }
    }
    return response;
  }

  Sink sink;
  boost::container::small_vector<Filter, kFiltersUsual> filters;
  std::atomic<bool> answered = false;
};

Reply::Reply(Sink sink) : state_(std::make_shared<State>(std::move(sink))) {}

void Reply::operator()(Response response) const {
  state_->Answer([&response] { return std::move(response); });
}

std::uint64_t BodyBytesOf(const Request& request) {
  return request.intake == nullptr ? request.body.size() : request.intake->bytes().value_or(0);
}

void WithBody(const Request& request, std::size_t bytes_max, Reply reply, Handler handler) {
  if (BodyBytesOf(request) > bytes_max) return reply(BodyTooLarge(bytes_max));
  if (request.intake == nullptr) return handler(request, std::move(reply));
  // Whoever never ends is anyone: nobody is asked.
  const bool is_known = request.principal && request.principal->MayEnd();
  const std::uint64_t owner =
      is_known ? std::hash<std::string>()(request.principal->name) : ByteBudget::kNobody;
  request.intake->Take(bytes_max, owner,
                       [who = request.principal, reply = std::move(reply),
                        handler = std::move(handler)](auto whole) mutable {
                         if (!whole) return reply(std::move(whole.error()));
                         whole->principal = std::move(who);
                         handler(*whole, std::move(reply));
                       });
}

void Reply::Pass(Filter filter) const { state_->filters.push_back(std::move(filter)); }

}  // namespace fanfold::http
