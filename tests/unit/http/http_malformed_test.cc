#include <gtest/gtest.h>

#include "common/http/http_server.h"
#include "common/http/request_parser.h"
#include "tests/unit/http/raw_client.h"

namespace fanfold::http {
namespace {

struct MalformedCase {
  const char* name;
  std::string bytes;
  int status;
  bool finishes = false;  // the client stops sending after the bytes
  friend void PrintTo(const MalformedCase& of, std::ostream* out) { *out << of.name; }
};
class Malformed : public ::testing::TestWithParam<MalformedCase> {};

TEST_P(Malformed, IsAnsweredByNameAndClosesOnlyItsConnection) {
  const auto server = Serve(Echo);
  RawClient other(server->port());
  RawClient client(server->port());
  client.Send(Get("/before") + GetParam().bytes);
  if (GetParam().finishes) client.FinishSending();
  EXPECT_EQ(client.Read().value().body, "GET /before? ");
  const auto answer = client.Read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, GetParam().status) << answer->body;
  EXPECT_TRUE(answer->Has("Content-Type: application/problem+json"));
  EXPECT_TRUE(answer->Has("Connection: close"));
  EXPECT_TRUE(client.IsAtEnd());
  EXPECT_EQ(other.Ask(Get("/")).value().status, 200);
}

std::string PutWith(const std::string& headers, const std::string& body = "") {
  return "PUT / HTTP/1.1\r\n" + headers + "\r\n\r\n" + body;
}

INSTANTIATE_TEST_SUITE_P(
    Inputs, Malformed,
    ::testing::Values(
        MalformedCase{"Garbage", std::string("\x00\x01\xff\xfe garbage", 12), 400},
        MalformedCase{"TlsHello", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc", 9), 400},
        MalformedCase{"OnlyText", "hello\r\n\r\n", 400},
        MalformedCase{"NoVersion", "GET /\r\n\r\n", 400},
        MalformedCase{"Version2", "GET / HTTP/2.0\r\n\r\n", 400},
        MalformedCase{"BareLineFeeds", "GET / HTTP/1.1\nA: b\n\n", 400},
        MalformedCase{"SpaceInTarget", "GET /a b HTTP/1.1\r\n\r\n", 400},
        MalformedCase{"SpaceBeforeColon", "GET / HTTP/1.1\r\nA : b\r\n\r\n", 400},
        MalformedCase{"HeaderWithoutName", "GET / HTTP/1.1\r\n: b\r\n\r\n", 400},
        MalformedCase{"ControlInHeader", "GET / HTTP/1.1\r\nA: \x01\r\n\r\n", 400},
        MalformedCase{"LengthIsNoNumber", PutWith("Content-Length: x"), 400},
        MalformedCase{"LengthNegative", PutWith("Content-Length: -1"), 400},
        MalformedCase{"LengthSigned", PutWith("Content-Length: +1", "a"), 400},
        MalformedCase{"LengthEmpty", PutWith("Content-Length:"), 400},
        MalformedCase{"LengthOverflows", PutWith("Content-Length: 18446744073709551616"), 400},
        MalformedCase{"LengthTwiceDiffering",
                      PutWith("Content-Length: 1\r\nContent-Length: 2", "ab"), 400},
        MalformedCase{"LengthAndChunked",
                      PutWith("Content-Length: 1\r\nTransfer-Encoding: chunked", "0\r\n\r\n"), 400},
        MalformedCase{"ChunkedAndLength",
                      PutWith("Transfer-Encoding: chunked\r\nContent-Length: 1", "0\r\n\r\n"), 400},
        MalformedCase{"ChunkSizeIsNoNumber", PutWith("Transfer-Encoding: chunked", "zz\r\n"), 400},
        MalformedCase{"ChunkSizeNegative", PutWith("Transfer-Encoding: chunked", "-1\r\n"), 400},
        MalformedCase{"ChunkWithoutItsEnd", PutWith("Transfer-Encoding: chunked", "1\r\nabc\r\n"),
                      400},
        MalformedCase{"OtherEncoding", PutWith("Transfer-Encoding: gzip", "x"), 501},
        MalformedCase{"EncodingsMixed", PutWith("Transfer-Encoding: gzip, chunked", "0\r\n\r\n"),
                      501},
        MalformedCase{"EncodingInHttp10",
                      "PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        MalformedCase{"TruncatedLine", "GET /cut", 400, true},
        MalformedCase{"TruncatedHeader", "GET / HTTP/1.1\r\nA: b", 400, true},
        MalformedCase{"TruncatedBody", PutWith("Content-Length: 9", "cut"), 400, true},
        MalformedCase{"TruncatedChunk", PutWith("Transfer-Encoding: chunked", "9\r\ncut"), 400,
                      true}),
    [](const auto& param_info) { return param_info.param.name; });

constexpr std::string_view kTwoRequests =
    "\r\nPOST /a?b=c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5\r\nhello\r\n6;x=\"y\"\r\n world\r\n0\r\nTrailer: t\r\n\r\n"
    "PUT /d HTTP/1.1\r\nFanfold-Min-Position: 1:2\r\nContent-Length: 3\r\n\r\nxyz"
    "POST /e HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";

class Pieces : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Pieces, OfAnySizeMakeTheSameRequests) {
  RequestParser parser(1024);
  std::vector<std::string> seen;
  std::string unread;
  for (std::size_t at = 0; at < kTwoRequests.size(); at += GetParam()) {
    unread += kTwoRequests.substr(at, GetParam());
    while (!unread.empty()) {
      const auto progress = parser.Put(unread);
      ASSERT_NE(progress.state, RequestParser::State::kFailed) << parser.failure().detail;
      unread.erase(0, progress.consumed);
      if (progress.state == RequestParser::State::kNeedMore) break;
      if (progress.state == RequestParser::State::kHead) {
        parser.TakeBody(1024);
        continue;
      }
      const ParsedRequest& request = parser.request();
      seen.push_back(request.target + "|" + request.body + "|" +
                     std::string(request.headers.Get("Fanfold-Min-Position").value_or("")));
    }
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"/a?b=c|hello world|", "/d|xyz|1:2", "/e||"}));
  EXPECT_FALSE(parser.IsWithinRequest());
}

INSTANTIATE_TEST_SUITE_P(Bytes, Pieces, ::testing::Values(1, 2, 3, 5, 7, 11, 64, 1000),
                         ::testing::PrintToStringParamName());

// What becomes of a request that comes `piece` bytes at a time.
RequestParser::State StateAfter(const std::string& request, std::size_t limit, std::size_t piece) {
  RequestParser parser(limit);
  RequestParser::Progress progress;
  std::string unread;
  for (std::size_t at = 0; at < request.size(); at += piece) {
    unread += request.substr(at, piece);
    progress = parser.Put(unread);
    if (progress.state == RequestParser::State::kHead) {
      parser.TakeBody(64);
      unread.erase(0, progress.consumed);
      progress = parser.Put(unread);
    }
    if (progress.state != RequestParser::State::kNeedMore) break;
    unread.erase(0, progress.consumed);
  }
  return progress.state;
}

TEST(HeaderLimit, IsOfTheWholeHeaderHoweverItCame) {
  const std::string request = "GET /0123456789 HTTP/1.1\r\nA: 0123456789\r\n\r\n";
  for (std::size_t piece = 1; piece <= request.size(); ++piece) {
    EXPECT_EQ(StateAfter(request, request.size(), piece), RequestParser::State::kComplete) << piece;
    EXPECT_EQ(StateAfter(request, request.size() - 1, piece), RequestParser::State::kFailed)
        << piece;
  }
}

TEST(HeaderLimit, IsOfChunksAndTrailersHoweverTheyCame) {
  constexpr std::size_t kLimit = 64;
  const std::string header = "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string large(kLimit, 'x');
  const std::string small(kLimit / 2, 'x');
  for (std::size_t piece = 1; piece <= 4 * kLimit; ++piece) {
    const std::string fine = "1;" + small + "\r\na\r\n0\r\nA: " + small + "\r\n\r\n";
    EXPECT_EQ(StateAfter(header + fine, kLimit, piece), RequestParser::State::kComplete) << piece;
    for (const std::string& chunks :
         {"1;" + large + "\r\na\r\n0\r\n\r\n", "1\r\na\r\n0\r\nA: " + large + "\r\n\r\n"}) {
      EXPECT_EQ(StateAfter(header + chunks, kLimit, piece), RequestParser::State::kFailed)
          << piece << chunks;
    }
  }
}

}  // namespace
}  // namespace fanfold::http
