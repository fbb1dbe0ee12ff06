#include "common/http/compression.h"

#include <future>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <thread>
#include <vector>
#include <zlib.h>

#include "tests/unit/http/raw_client.h"

namespace fanfold::http {
namespace {

// What a client makes of it; nothing: it is no whole gzip.
std::optional<std::string> Inflated(const std::string& bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out(std::size_t{64} << 20, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int done = inflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  const bool whole = done == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return whole ? std::optional(out) : std::nullopt;
}

std::string UserLines(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += "{\"user_id\":\"" + std::to_string(i) + "\"}\n";
  text.resize(bytes);
  return text;
}

Response Asked(Response answer, std::string_view accept = "gzip") {
  Headers headers;
  EXPECT_TRUE(headers.Add("Accept-Encoding", accept));
  Request request;
  request.headers = &headers;
  Response told;
  const Handler handler =
      Gzipped()([&answer](const Request&, const Reply& reply) { reply(std::move(answer)); });
  handler(request, Reply([&told](Response response) { told = std::move(response); }));
  return told;
}

Response Body(std::string body, int status = 200) {
  Response response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

bool IsGzip(const Response& response) {
  const std::vector<Header> as_gzip = {{"Content-Encoding", "gzip"}, {"Vary", "Accept-Encoding"}};
  return response.headers == as_gzip;
}

// Parts of a stream, one after the other.
BodySource Parts(std::vector<std::string> parts) {
  return [parts = std::move(parts), next = std::size_t{0}](const PartSink& sink) mutable {
    const std::size_t at = next++;
    sink({parts.at(at), at + 1 == parts.size()});
  };
}

TEST(Gzip, IsTakenByWhoSaysSo) {
  for (const char* header : {"gzip", "GZIP", "deflate, gzip", "br;q=1.0, gzip;q=0.8, *;q=0.1", "*",
                             " gzip ;q=0.001", "identity,gzip", "gzip;q=1, *;q=0"}) {
    EXPECT_TRUE(TakesGzip(header)) << header;
  }
  for (const char* header : {"", "deflate", "gzip;q=0", "gzip; q=0.000", "gzip ; Q=0", "*;q=0",
                             "gzip;q=0, *", "gzipped", "x", ",,", ";", "identity"}) {
    EXPECT_FALSE(TakesGzip(header)) << header;
  }
}

TEST(Gzip, LargeAnswersAreCompressedForWhoAsks) {
  const std::string text = UserLines(kGzipBytesMin);
  const Response told = Asked(Body(text));
  EXPECT_TRUE(IsGzip(told));
  EXPECT_LT(told.body.size(), text.size() / 2);
  EXPECT_EQ(Inflated(told.body), text);
  const std::string large = UserLines(std::size_t{5} << 20);
  EXPECT_EQ(Inflated(Asked(Body(large)).body), large);
}

// In which thread `bytes` were answered, by a handler in this one.
std::thread::id ThreadOf(std::size_t bytes, Workers* workers) {
  Headers headers;
  EXPECT_TRUE(headers.Add("Accept-Encoding", "gzip"));
  Request request;
  request.headers = &headers;
  std::promise<std::thread::id> answered;
  Gzipped(workers)([&](const Request&, const Reply& reply) { reply(Body(UserLines(bytes))); })(
      request, Reply([&](const Response& told) {
        EXPECT_EQ(IsGzip(told), bytes >= kGzipBytesMin);
        EXPECT_TRUE(!IsGzip(told) || Inflated(told.body) == UserLines(bytes));
        answered.set_value(std::this_thread::get_id());
      }));
  return answered.get_future().get();
}

TEST(Gzip, WhatTakesLongKeepsNobodysThread) {
  Workers workers(1);
  EXPECT_EQ(ThreadOf(kGzipAtOnceMax, &workers), std::this_thread::get_id());
  EXPECT_NE(ThreadOf(kGzipAtOnceMax + 1, &workers), std::this_thread::get_id());
  EXPECT_EQ(ThreadOf(kGzipAtOnceMax + 1, nullptr), std::this_thread::get_id());
}

TEST(Gzip, WhereTooMuchIsInWorkTheAnswerIsSentAsItIs) {
  Workers stopped(0);
  stopped.Stop();
  Headers headers;
  ASSERT_TRUE(headers.Add("Accept-Encoding", "gzip"));
  Request request;
  request.headers = &headers;
  const std::string text = UserLines(kGzipAtOnceMax + 1);
  Gzipped (&stopped)([&](const Request&, const Reply& reply) { reply(Body(text)); })(
      request, Reply([&](const Response& told) { EXPECT_EQ(told.body, text); }));
}

TEST(Gzip, OfAHeadNothingIsCompressedAndNoLengthTold) {
  const std::string text = UserLines(std::size_t{1} << 20);
  const auto server =
      Serve(Gzipped()([&](const Request&, const Reply& reply) { reply(Body(text)); }));
  RawClient client(server->port());
  client.Send("HEAD / HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\nHEAD / HTTP/1.1\r\n\r\n");
  const auto packed = client.Read(/*without_body=*/true);
  ASSERT_TRUE(packed);
  EXPECT_TRUE(packed->Has("Content-Encoding: gzip"));
  EXPECT_FALSE(packed->Has("Content-Length"));
  const auto plain = client.Read(/*without_body=*/true);
  ASSERT_TRUE(plain);
  EXPECT_TRUE(plain->Has("Content-Length: " + std::to_string(text.size())));
}

TEST(Gzip, OtherAnswersAreAsTheyWere) {
  const std::string text = UserLines(kGzipBytesMin);
  EXPECT_EQ(Asked(Body(text), "identity").body, text);
  EXPECT_EQ(Asked(Body(text.substr(1))).body, text.substr(1));
  EXPECT_EQ(Asked(Body(text, 503)).body, text);
  EXPECT_TRUE(Asked(Body(text, 503)).headers.empty());
}

TEST(Gzip, ExportsAreCompressedPartByPart) {
  Response answer = Body("begin\n");
  answer.content_type = "application/x-ndjson";
  answer.stream = Parts({UserLines(100'000), "", "middle\n", "end\n"});
  const Response told = Asked(std::move(answer));
  EXPECT_TRUE(IsGzip(told));
  std::string bytes = told.body;
  bool last = false;
  while (!last) {
    told.stream(PartSink([&](std::optional<BodyPart> part) {
      ASSERT_TRUE(part);
      bytes += part->bytes;
      last = part->last;
    }));
  }
  EXPECT_EQ(Inflated(bytes), "begin\n" + UserLines(100'000) + "middle\nend\n");
}

TEST(Gzip, AnExportThatFailsIsCut) {
  Response answer = Body("begin\n");
  answer.stream = [](const PartSink&) {};  // dropped
  const Response told = Asked(std::move(answer));
  bool cut = false;
  told.stream(PartSink([&](const std::optional<BodyPart>& part) { cut = !part; }));
  EXPECT_TRUE(cut);
}

TEST(Gzip, EventsArriveOneByOne) {
  Response answer = Body("");
  answer.content_type = "text/event-stream";
  answer.stream = Parts({"data: 1\n\n"});
  EXPECT_TRUE(Asked(std::move(answer)).headers.empty());
}

}  // namespace
}  // namespace fanfold::http
