#include "cli/deployment/reader_probe.h"

#include <algorithm>
#include <fmt/format.h>

#include "common/http/status.h"

namespace fanfold {
namespace {

// What the answer takes beside the wait for the positions.
constexpr std::int64_t kAnswerMs = 1000;
constexpr std::int64_t kReaderTimeoutMaxMs = 5000;

// A request's headers have room for so many, however long their stream's name.
constexpr std::size_t kPositionsMax = 256;

Result<bool> Reached(http::HttpClient& reader, std::span<const StreamPosition> positions,
                     std::uint16_t port, std::int64_t wait_ms) {
  std::string joined;
  for (const StreamPosition& position : positions) {
    joined += (joined.empty() ? "" : ",") + ToString(position);
  }
  // Any read will do; the user need not exist.
  const Result<http::ClientResponse> answer = reader.Post(
      fmt::format("/v1/users/1/relations?min_position={}&timeout_ms={}", joined, wait_ms),
      R"({"to":["1"]})");
  if (!answer && answer.error().code == ErrorCode::kUnavailable) return true;
  if (!answer) return std::unexpected(answer.error());
  if (answer->status == http::kOk || answer->status == http::kConflict)
    return answer->status == http::kOk;
  const bool asks = answer->status == http::kUnauthenticated || answer->status == http::kForbidden;
  return Fail(asks ? ErrorCode::kRefused : ErrorCode::kUnavailable,
              fmt::format("the reader on port {} answers {}{}", port, answer->status,
                          asks ? ": token_file names the file of a token for relations:read" : ""));
}

}  // namespace

Result<bool> ReaderReached(const http::HttpEndpoint& at, std::span<const StreamPosition> positions,
                           std::int64_t timeout_ms) {
  const std::int64_t wait_ms = std::clamp<std::int64_t>(timeout_ms, 0, kReaderTimeoutMaxMs);
  http::HttpClient reader(at, wait_ms + kAnswerMs);
  while (!positions.empty()) {
    const auto some = positions.first(std::min(positions.size(), kPositionsMax));
    const Result<bool> reached = Reached(reader, some, at.port, wait_ms);
    if (!reached || !*reached) return reached;
    positions = positions.subspan(some.size());
  }
  return true;
}

}  // namespace fanfold
