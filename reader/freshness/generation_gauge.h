// A number of each generation, as a metric.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "common/base/metrics.h"
#include "reader/freshness/position_table.h"

namespace fanfold::reader {

// One thread at a time.
class GenerationGauge {
 public:
  GenerationGauge(std::string name, std::string help)
      : name_(std::move(name)), help_(std::move(help)) {}

  // A generation that was shown and has no number any more shows NaN.
  void Show(Metrics& metrics, const PositionTable::OfGenerations& numbers);

 private:
  const std::string name_;
  const std::string help_;
  std::map<PositionTable::OfGenerations::key_type, double> shown_;
};

}  // namespace fanfold::reader
