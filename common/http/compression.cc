#include "common/http/compression.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <zlib.h>

#include "common/base/check.h"
#include "common/base/trimmed.h"
#include "common/http/status.h"

namespace fanfold::http {
namespace {

// 4 KiB looked back at, 30 KiB in all: every connection may have one.
constexpr int kWindowBits = 12 + 16;  // with gzip's header and checksum
constexpr int kMemoryLevel = 4;

// One gzip stream.
class Deflater {
 public:
  Deflater() {
    const int made = deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, kWindowBits, kMemoryLevel,
                                  Z_DEFAULT_STRATEGY);
    if (made != Z_OK) throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  // What `bytes` become; all of it can be read from what has been given by then.
  [[nodiscard]] std::string Deflated(std::string_view bytes, bool last) {
    std::string out;
    // zlib's interface is older than const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    std::array<char, 16 << 10> piece;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      const int done = deflate(&stream_, last ? Z_FINISH : Z_SYNC_FLUSH);
      FANFOLD_CHECK(done != Z_STREAM_ERROR, "a deflater was used after its end");
      out.append(piece.data(), piece.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return out;
  }

 private:
  z_stream stream_{};
};

BodySource Deflated(BodySource source, std::shared_ptr<Deflater> deflater) {
  return [source = std::move(source), deflater = std::move(deflater)](const PartSink& sink) {
    source(PartSink([sink, deflater](std::optional<BodyPart> part) {
      if (!part) return;  // and the sink is dropped, as the source dropped its own
      part->bytes = deflater->Deflated(part->bytes, part->last);
      sink(*std::move(part));
    }));
  };
}

bool IsWorthIt(const Response& response) {
  if (response.status != kOk || response.content_type == "text/event-stream") return false;
  return response.stream != nullptr || response.body.size() >= kGzipBytesMin;
}

void TellGzip(Response& response) {
  response.headers.emplace_back("Content-Encoding", "gzip");
  response.headers.emplace_back("Vary", "Accept-Encoding");
}

void Compress(Response& response) {
  if (!IsWorthIt(response)) return;
  const auto deflater = std::make_shared<Deflater>();
  const bool is_all = response.stream == nullptr;
  if (is_all || !response.body.empty()) response.body = deflater->Deflated(response.body, is_all);
  if (!is_all) response.stream = Deflated(std::move(response.stream), deflater);
  TellGzip(response);
}

// What a GET would be told, but for the length, which nobody knows.
void TellOfHead(Response& response) {
  if (!IsWorthIt(response)) return;
  TellGzip(response);
  response.tells_length = false;
}

void CompressAway(Workers& workers, Response response, const Reply& reply) {
  const auto shared = std::make_shared<Response>(std::move(response));
  Workers::Job job = [shared, reply] {
    Compress(*shared);
    reply(std::move(*shared));
  };
  if (!workers.SubmitSpare(job)) reply(std::move(*shared));
}

// ";q=0", "; Q=0.000"
bool IsRefused(std::string_view parameters) noexcept {
  const std::size_t weight = parameters.find_first_of("qQ");
  if (weight == std::string_view::npos) return false;
  const std::string_view value = Trimmed(parameters.substr(weight + 1));
  return value.starts_with("=") && value.find_first_not_of(" =0.") == std::string_view::npos;
}

}  // namespace

bool TakesGzip(std::string_view accept_encoding) noexcept {
  std::optional<bool> by_any;
  while (!accept_encoding.empty()) {
    const std::size_t comma = std::min(accept_encoding.find(','), accept_encoding.size());
    const std::string_view one = accept_encoding.substr(0, comma);
    accept_encoding.remove_prefix(std::min(comma + 1, accept_encoding.size()));
    const std::size_t parameters = std::min(one.find(';'), one.size());
    const std::string_view coding = Trimmed(one.substr(0, parameters));
    const bool taken = !IsRefused(one.substr(parameters));
    if (EqualsIgnoringCase(coding, "gzip")) return taken;
    if (coding == "*") by_any = taken;
  }
  return by_any.value_or(false);
}

Wrapper Gzipped(Workers* workers) {
  return [workers](Handler next) -> Handler {
    return [workers, next = std::move(next)](const Request& request, Reply reply) {
      if (!TakesGzip(request.HeaderValue("Accept-Encoding").value_or(""))) {
        return next(request, std::move(reply));
      }
      if (request.method == Method::kHead) {
        reply.Pass(TellOfHead);
        return next(request, std::move(reply));
      }
      next(request, Reply([workers, reply = std::move(reply)](Response response) {
             const bool is_long = !response.stream && response.body.size() > kGzipAtOnceMax;
             if (is_long && workers != nullptr && IsWorthIt(response)) {
               return CompressAway(*workers, std::move(response), reply);
             }
             Compress(response);
             reply(std::move(response));
           }));
    };
  };
}

}  // namespace fanfold::http
