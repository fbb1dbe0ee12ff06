// One client. Internal to common/http.
#pragma once

// clang-format off
#include <utility>  // awaitable.hpp of Boost 1.74 needs it and does not include it
// clang-format on
#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/http/body_stream.h"
#include "common/http/http_server.h"
#include "common/http/reply_queue.h"
#include "common/http/request_parser.h"
#include "common/http/tls.h"

namespace fanfold::http {

// The connections of one IO thread share it; outlives them.
struct ConnectionContext {
  const ServerOptions& options;
  const Handler& handler;
  ByteBudget& unsent;
  ByteBudget& large_requests;
  const std::atomic<bool>& retiring;  // each answer is its connection's last
  std::span<char> scratch;  // where long requests are read, so that an idle connection holds little
};

// Everything here runs on the connection's IO thread; replies come in through the queue.
// Phases: open (reads and answers) → closing (only answers) → lingering → closed.
class Connection : public std::enable_shared_from_this<Connection>, private BodyIntake {
 public:
  [[nodiscard]] static std::shared_ptr<Connection> Make(boost::asio::ip::tcp::socket socket,
                                                        const PeerAddress& peer,
                                                        const ConnectionContext& context);

  // Returns when the connection is closed.
  boost::asio::awaitable<void> Serve();

  // Acts on what ran out: 408, or close. Called every few milliseconds, so that a request costs no
  // timer.
  void CheckDeadlines(std::int64_t now_ms);
  // Takes no more than what has begun to arrive, then closes.
  void Drain();
  // At once; answers to come are dropped.
  void Close();

 private:
  static constexpr std::size_t kBufferBytesKept = std::size_t{16} << 10;

  enum class Phase : std::uint8_t { kOpen, kClosing, kLingering, kClosed };
  // The body of the request that is arriving.
  enum class Body : std::uint8_t { kNone, kOffered, kTaken, kSkipped };
  // Let go when it is sent.
  struct Unsent {
    ByteBudget::Room room;
    std::shared_ptr<void> held;
  };

  Connection(boost::asio::ip::tcp::socket socket, const ConnectionContext& context);

  void Advance();
  void Receive();
  void PeerIsDone();
  void SayTlsEnd();
  [[nodiscard]] std::string_view Unsealed(std::string_view arrived);
  void Dispatch(std::string_view arrived);
  [[nodiscard]] std::size_t DispatchBytes(std::string_view bytes);
  void HandOver(BodyIntake* intake);
  void HandOverBody();
  [[nodiscard]] std::optional<std::uint64_t> bytes() const override;
  void Take(std::size_t bytes_max, std::uint64_t owner, Taken taken) override;
  void LeaveBody();
  [[nodiscard]] bool MaySkipBody() const;
  void Refuse(const ProblemKind& kind, std::string_view detail);
  [[nodiscard]] bool EndsWithThis(const ParsedRequest& request) const;
  void Flush();
  [[nodiscard]] bool WriteSome();
  void FormatReady();
  void FormatAnswers();
  void FormatPart();
  void WaitWritable();
  void StopReading();
  void WakeServe();
  [[nodiscard]] Caller::Post PostHere();

  [[nodiscard]] static std::int64_t NowMs();
  // Larger buffers are given back when they are empty.
  static void ClearKeeping(std::string& buffer);

  [[nodiscard]] bool HasRoom() const;
  [[nodiscard]] bool IsDone(std::int64_t now_ms) const;
  [[nodiscard]] bool IsPaused() const;
  [[nodiscard]] bool IsWaitingForRoom() const;
  [[nodiscard]] bool HasAnswersLeft() const;
  [[nodiscard]] bool IsWritten() const { return written_ == out_.size(); }
  // Nothing taken that is not answered and sent, nothing of a request begun.
  [[nodiscard]] bool IsIdle() const;
  // A part of TLS's has begun to arrive; what it says is not known.
  [[nodiscard]] bool IsWithinRecord() const;
  // The client has closed, whatever of it is unread.
  [[nodiscard]] bool HasHungUp();
  boost::asio::awaitable<void> ReadFirst();
  boost::asio::awaitable<void> Changed();
  boost::asio::awaitable<void> OthersTurn();
  boost::asio::awaitable<void> Linger();

  boost::asio::ip::tcp::socket socket_;
  const ConnectionContext& context_;
  RequestParser parser_;
  std::shared_ptr<ReplyQueue> queue_;
  CallerPtr caller_;
  boost::asio::steady_timer changed_;  // never fires: cancelling it wakes Serve

  Phase phase_ = Phase::kOpen;
  bool draining_ = false;
  bool has_asked_ = false;
  bool reading_ = false;          // Serve waits for the socket
  std::array<char, 2048> first_;  // what a read brings; there may be more
  std::size_t first_size_ = 0;
  boost::system::error_code read_error_;
  bool peer_done_ = false;      // the client sends no more
  bool stalled_ = false;        // unread_ may hold whole requests: no room, or the turn is over
  bool write_blocked_ = false;  // the client does not read
  std::string unread_;          // the beginning of a request that is not there yet
  Body body_ = Body::kNone;
  ReplyQueue::Ticket last_ = 0;  // of the request that was handed over last
  Taken taken_;                  // of kTaken
  std::string out_;
  std::size_t written_ = 0;
  std::vector<Answered> ready_;
  std::vector<Unsent> unsent_;  // of what out_ holds
  BodyStream stream_;
  Unsent stream_unsent_;             // of its answer
  std::unique_ptr<TlsSession> tls_;  // null: what the socket brings is HTTP
  std::string unsealed_;             // of the last read
  bool tls_ended_ = false;           // the client has said so

  std::int64_t active_ms_;             // when a request was last handed over, or something went out
  std::int64_t request_began_ms_ = 0;  // 0: none is arriving
  std::int64_t write_began_ms_ = 0;
  std::int64_t linger_began_ms_ = 0;
  std::int64_t accepted_ms_;
};

}  // namespace fanfold::http
