// Rebuilds tables beside everybody else, a command after the other, and beside another operator.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "operations/base/context.h"
#include "operations/rebuild/rebuild.h"
#include "tests/simulation/ground.h"
#include "tests/simulation/life.h"
#include "tests/simulation/processes.h"

namespace fanfold::simulation {

class OperatorProcess final : operations::Interrupt, operations::ProgressSink {
 public:
  // `turn`: what happens while a command waits. Both outlive it.
  OperatorProcess(Ground& ground, const Others& others, std::function<void()> turn);

  [[nodiscard]] Life& life() { return life_; }
  // One command, to its end, its failure or Ctrl-C.
  void Step();
  // What was begun is ended; all tables of relations are new ones. Nothing fails any more.
  void EndRebuilds();

 private:
  [[nodiscard]] Result<operations::RebuildEnd> Run(const operations::RebuildOptions& options);

  bool WaitFor(std::int64_t timeout_ms) override;
  std::int64_t period_ms() const override { return INT64_MAX; }
  void Show(const operations::ProgressState&) override {}
  void ShowText(std::string_view) override {}
  void Clear() override {}
  void Step(const operations::StepDone& step) override;
  void Note(std::string_view) override {}

  Ground& ground_;
  const std::function<void()> turn_;
  Life life_;
  bool interrupted_ = false;
};

}  // namespace fanfold::simulation
