#include "cli/deployment/reader_probe.h"

#include <algorithm>
#include <fmt/format.h>

#include "common/http/http_client.h"

namespace fanfold {
namespace {

constexpr int kOk = 200;
constexpr int kConflict = 409;
// What the answer takes beside the wait for the positions.
constexpr std::int64_t kAnswerMs = 1000;
constexpr std::int64_t kReaderTimeoutMaxMs = 5000;

}  // namespace

Result<bool> ReaderReached(const std::string& host, std::uint16_t port,
                           std::span<const Position> positions, std::int64_t timeout_ms) {
  if (positions.empty()) return true;
  std::string joined;
  for (const Position position : positions) {
    joined += (joined.empty() ? "" : ",") + ToString(position);
  }
  const std::int64_t wait_ms = std::clamp<std::int64_t>(timeout_ms, 0, kReaderTimeoutMaxMs);
  http::HttpClient reader(host, port, wait_ms + kAnswerMs);
  // Any read will do; the user need not exist.
  const Result<http::ClientResponse> answer = reader.Post(
      fmt::format("/v1/users/1/relations?min_position={}&timeout_ms={}", joined, wait_ms),
      R"({"to":["1"]})");
  if (!answer && answer.error().code == ErrorCode::kUnavailable) return true;
  if (!answer) return std::unexpected(answer.error());
  if (answer->status == kOk || answer->status == kConflict) return answer->status == kOk;
  return Fail(ErrorCode::kUnavailable,
              fmt::format("the reader on port {} answers {}", port, answer->status));
}

}  // namespace fanfold
