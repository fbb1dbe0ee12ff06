// The way from appenders to the log and back. What one sender appends to a partition lands in
// order; everything else is up to the schedule: what lands when, who hears of it, what is lost.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/split_mix.h"
#include "common/ports/event_log.h"
#include "tests/simulation/faults.h"

namespace fanfold::simulation {

class Transit {
 public:
  using Sender = int;

  // All outlive it.
  Transit(EventLog& log, SplitMix64& random, Nemesis& nemesis, Trace& trace);
  ~Transit();
  Transit(const Transit&) = delete;
  Transit& operator=(const Transit&) = delete;

  [[nodiscard]] Sender Open(Topic topic, const AppenderOptions& options);
  void Send(Sender sender, Partition partition, std::string_view key, std::string_view value,
            LogAppender::Done done);
  // Whether the sender has failed in a way after which nothing of it may land.
  [[nodiscard]] bool Stopped(Sender sender) const;
  // A record of the sender failed before it was sent.
  void Refused(Sender sender);
  // The sender is gone. What it has sent is lost from some record on; the rest lands some time.
  // Each callback is called, with kUnknown.
  void Close(Sender sender);

  // Some records of one line land; some answers of one line get back. False: there are none.
  bool LandSome();
  bool AnswerSome();
  // Everything of the sender lands and is answered.
  void Drain(Sender sender);
  // Everything of everybody does.
  void DrainAll();

 private:
  struct Record {
    std::string key;
    std::string value;
    LogAppender::Done done;  // null: the sender is gone
  };
  struct Answer {
    Result<Position> result;
    LogAppender::Done done;
  };
  struct Line {
    std::deque<Record> waiting;
    std::deque<Answer> answers;
  };
  struct SenderState {
    Topic topic = topics::kRelationEvents;
    bool may_time_out = false;  // single records may fail
    bool stop_on_failure = false;
    bool stopped = false;
  };
  using LineId = std::pair<Sender, Partition>;

  [[nodiscard]] Result<Position> Put(Topic topic, Partition partition, const Record& record);
  void Land(const LineId& id, Line& line);
  // A fatal error: nothing that waits lands, nothing that has landed is answered for.
  void Break(Sender sender);
  static void FailAll(Line& line);
  template <class Has>
  [[nodiscard]] std::vector<LineId> LinesWhere(Has has) const;

  EventLog& log_;
  SplitMix64& random_;
  Nemesis& nemesis_;
  Trace& trace_;
  std::map<Topic, std::unique_ptr<LogAppender>> real_;
  std::vector<SenderState> senders_;
  std::map<LineId, Line> lines_;
};

}  // namespace fanfold::simulation
