#include "cli/console/read_relay.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "common/base/logging.h"
#include "common/http/query.h"
#include "common/http/status.h"

namespace fanfold::console {
namespace {

constexpr int kErrorsFrom = 400;
// What an answer says beside its body of how old it is, and of what to do.
constexpr std::array<std::string_view, 3> kPassedOn = {"Fanfold-Lag-Ms", "Retry-After",
                                                       "WWW-Authenticate"};

http::Response Unavailable(const Error& error) {
  return http::Problem(
      kReaderUnavailable,
      fmt::format("no reader answers ({}): start one, or `fanfold serve`", error.message));
}

http::Response Late(std::string_view why) {
  return http::Problem(http::problems::kOverloaded, why);
}

}  // namespace

// The router reads a path decoded.
bool IsRelayed(std::string_view target) {
  const bool is_plain = std::ranges::all_of(
      target, [](unsigned char c) { return c > ' ' && c < 0x7f && c != '#' && c != '\\'; });
  if (!target.starts_with("/v1/") || !is_plain) return false;
  const auto path = http::PercentDecoded(target.substr(0, target.find('?')), /*is_query=*/false);
  if (!path) return false;
  const bool climbs = path->find("..") != std::string::npos;
  const bool lasts = path->starts_with("/v1/changes") || path->ends_with("/export");
  return !climbs && !lasts;
}

ReadRelay::ReadRelay(ReaderAccess reader) : reader_(std::move(reader)) {
  for (std::size_t i = 0; i < kAtOnceMax; ++i) {
    workers_.emplace_back([this](const std::stop_token& stop) { Work(stop); });
  }
}

ReadRelay::~ReadRelay() {
  for (std::jthread& worker : workers_) worker.request_stop();
}

void ReadRelay::Get(RelayedRead read, http::Reply reply) {
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() < kWaitingMax) {
      waiting_.push_back({std::move(read), std::move(reply)});
      changed_.notify_one();
      return;
    }
  }
  reply(Late("too many reads wait"));
}

void ReadRelay::Work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
    const Asked asked = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    asked.reply(AnswerTo(asked));
  }
}

http::Response ReadRelay::AnswerTo(const Asked& asked) const {
  const auto waited = std::chrono::steady_clock::now() - asked.since;
  if (waited > std::chrono::milliseconds(kWaitMaxMs))
    return Late("the reads before it took too long");
  if (asked.read.caller && asked.read.caller->is_gone()) return Late("whoever asked is gone");
  try {
    return Answer(asked.read);
  } catch (const std::exception& error) {  // a socket or memory that is not to be had
    LogError("a read of the console failed", {{"why", error.what()}});
    return http::Problem(http::problems::kInternal, "the reader could not be asked");
  }
}

http::Response ReadRelay::Answer(const RelayedRead& read) const {
  Result<http::HttpEndpoint> reader = reader_.find();
  if (!reader) return Unavailable(reader.error());
  if (!reader_.shows_own_token) reader->token = read.token;
  http::HttpClient client(*std::move(reader), kTimeoutMs);
  Result<http::ClientResponse> answer = client.Get(read.target, read.trace);
  if (!answer) return Unavailable(answer.error());
  // The caller could not mend it by another token.
  if (answer->status == http::kUnauthenticated && reader_.shows_own_token) {
    return http::Problem(kReaderUnavailable,
                         "the reader does not take this process's token: see `token_file`");
  }
  http::Response response;
  response.status = answer->status;
  if (answer->status >= kErrorsFrom) response.content_type = "application/problem+json";
  response.headers = {{"Cache-Control", "no-store"}};
  for (const std::string_view name : kPassedOn) {
    if (const auto value = answer->headers.Get(name)) response.headers.emplace_back(name, *value);
  }
  response.body = std::move(answer->body);
  return response;
}

}  // namespace fanfold::console
