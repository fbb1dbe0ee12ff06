// Reads of a page, asked of the deployment's reader.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/base/caller.h"
#include "common/base/result.h"
#include "common/http/http_client.h"
#include "common/http/http_server.h"
#include "common/http/problem.h"

namespace fanfold::console {

inline constexpr http::ProblemKind kReaderUnavailable{503, "reader_unavailable",
                                                      "No reader answers"};

// Is that one of the API's reads whose answer ends? "/v1/…", as it is to be sent. Pure.
[[nodiscard]] bool IsRelayed(std::string_view target);

struct RelayedRead {
  std::string target;               // requires: IsRelayed(target)
  std::string token;                // the caller's; empty: none
  std::vector<http::Header> trace;  // the caller's name for the request
  CallerPtr caller = {};            // once it is gone nobody is asked; null: it stays
};

struct ReaderAccess {
  // Where it is now, and the process's own token for it. From many threads.
  std::function<Result<http::HttpEndpoint>()> find;
  // True: everybody who may ask here owns that token. False: every caller shows their own.
  bool shows_own_token = false;
};

// Thread-safe. The destructor drops what has not begun, unanswered, and waits for the rest.
class ReadRelay {
 public:
  static constexpr std::size_t kAtOnceMax = 4;
  static constexpr std::size_t kWaitingMax = 128;
  static constexpr std::int64_t kWaitMaxMs = 1'000;  // as long as a read waits in the reader
  static constexpr std::int64_t kTimeoutMs = 10'000;

  explicit ReadRelay(ReaderAccess reader);
  ~ReadRelay();
  ReadRelay(const ReadRelay&) = delete;
  ReadRelay& operator=(const ReadRelay&) = delete;

  // Answers as the reader does; 503 where it cannot be asked, or does not take the process's own
  // token, or too many wait, or one too long, or whoever asked is gone; 500 where asking fails.
  // Does not block.
  void Get(RelayedRead read, http::Reply reply);

 private:
  struct Asked {
    RelayedRead read;
    http::Reply reply;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
  };

  void Work(const std::stop_token& stop);
  [[nodiscard]] http::Response AnswerTo(const Asked& asked) const;
  [[nodiscard]] http::Response Answer(const RelayedRead& read) const;

  const ReaderAccess reader_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Asked> waiting_;
  std::vector<std::jthread> workers_;
};

}  // namespace fanfold::console
