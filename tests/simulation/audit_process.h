// Verifies the tables of relations, and mends what differs, beside everybody else.
#pragma once

#include <cstdint>

#include "projector/audit/repairer.h"
#include "projector/audit/verifier.h"
#include "tests/simulation/ground.h"
#include "tests/simulation/life.h"
#include "tests/simulation/processes.h"

namespace fanfold::simulation {

class AuditProcess {
 public:
  AuditProcess(Ground& ground, const Others& others);

  [[nodiscard]] Life& life() { return life_; }
  // One pass.
  void Step();

 private:
  class Unhurried final : public projector::ScanPace {
   public:
    bool Read(std::int64_t) override { return true; }
  };

  Ground& ground_;
  Life life_;
  Unhurried pace_;
};

}  // namespace fanfold::simulation
