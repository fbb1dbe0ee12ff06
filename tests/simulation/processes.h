// The processes of a deployment: the product's cores on ports that fail. Whoever drives one catches
// Crash and destroys it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "common/ports/event_log.h"
#include "projector/profiles/eraser.h"
#include "projector/runtime/fold.h"
#include "projector/runtime/shard_worker.h"
#include "reader/query_service.h"
#include "tests/simulation/faulty_log.h"
#include "tests/simulation/ground.h"
#include "tests/simulation/life.h"
#include "writer/command_service.h"
#include "writer/outcome_reading.h"
#include "writer/outcome_waiters.h"

namespace fanfold::simulation {

class WriterProcess {
 public:
  WriterProcess(Ground& ground, const Others& others, std::uint64_t process_bits);

  [[nodiscard]] Life& life() { return life_; }
  [[nodiscard]] writer::CommandService& service() { return service_; }

  // Connects if it is not yet; else reads outcomes and tells who waited long enough.
  void Step();

 private:
  void Connect();

  SimulatedClock& clock_;
  Life life_;
  FaultyLog log_;
  writer::OutcomeWaiters waiters_;
  writer::OutcomeReading reading_;
  bool connected_ = false;
  writer::CommandService service_;  // last: its destructor still calls back
};

// One projection's process, a worker a shard and generation that is folded there, each with a
// mailbox as its thread has.
class ProjectorProcess {
 public:
  ProjectorProcess(Ground& ground, Projection kind, const Others& others);

  [[nodiscard]] Life& life() { return life_; }
  [[nodiscard]] FollowLimit limit() const noexcept { return limit_; }

  void PostGain(Partition partition);
  void PostLoss(Partition partition);
  [[nodiscard]] std::size_t workers() const noexcept { return workers_.size(); }
  // Looks, if it is time, which generations are folded; then reads the worker's mail and order, and
  // steps it: the next one's where it is no more.
  void Step(std::size_t worker);
  // Reads the mail of all shards: a loss is carried out when it returns.
  void ReadMail();

 private:
  struct Letter {
    bool gained = false;
    Partition partition;
  };
  struct Worker {
    Shard shard;
    FoldedGeneration folded;
    std::unique_ptr<projector::ShardWorker> worker;
    std::deque<Letter> mail;
    bool open = false;
  };
  [[nodiscard]] std::unique_ptr<LaneStore> NewStore(Shard shard);
  void Look();
  [[nodiscard]] Worker NewWorker(Shard shard, const FoldedGeneration& folded);
  void Post(Letter letter);
  [[nodiscard]] bool Open(Worker& worker);
  static void ReadMail(Worker& worker);

  Ground& ground_;
  const Projection kind_;
  Life life_;
  FaultyLog log_;
  std::unique_ptr<EventLog> lying_log_;  // null: none
  FollowLimit limit_;
  std::set<Partition> owned_;
  std::int64_t look_ms_ = 0;
  std::unique_ptr<const projector::Fold> fold_;
  std::vector<Worker> workers_;
};

// Ends deleted accounts, wherever they live, beside another one that does.
class EraserProcess {
 public:
  EraserProcess(Ground& ground, const Others& others);

  [[nodiscard]] Life& life() { return life_; }
  void Step();

 private:
  [[nodiscard]] projector::TaskPorts PortsOn(Ground& ground);

  Life life_;
  FaultyLog log_;
  projector::Eraser eraser_;
};

class ReaderProcess final : public reader::ShardedReader {
 public:
  ReaderProcess(Ground& ground, const Others& others);

  [[nodiscard]] Life& life() { return life_; }
  [[nodiscard]] reader::QueryService& service() { return service_; }
  [[nodiscard]] Result<ProjectionReader*> On(Shard shard) override {
    return readers_.at(static_cast<std::size_t>(shard.value)).get();
  }

 private:
  Life life_;
  std::vector<std::unique_ptr<ProjectionReader>> readers_;
  Deployment deployment_;
  reader::QueryService service_;
};

}  // namespace fanfold::simulation
