#include "reader/freshness/generation_gauge.h"

#include <limits>

namespace fanfold::reader {

void GenerationGauge::Show(Metrics& metrics, const PositionTable::OfGenerations& numbers) {
  for (auto& [generation, number] : shown_) number = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [generation, number] : numbers) {
    shown_[generation] = static_cast<double>(number);
  }
  for (const auto& [generation, number] : shown_) {
    metrics
        .GetGauge(name_, help_,
                  {{"projection", std::string(ToString(generation.first))},
                   {"generation", std::to_string(generation.second.value)}})
        .Set(number);
  }
}

}  // namespace fanfold::reader
