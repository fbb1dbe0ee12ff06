// Whether what a process shows Kafka can be taken.
#pragma once

#include "common/base/metrics.h"

namespace fanfold {

// For as long as it lives, fanfold_kafka_files_broken says it of all the process's clients. One at
// a time; `metrics` outlives it.
class KafkaFilesGauge {
 public:
  explicit KafkaFilesGauge(Metrics& metrics);
  ~KafkaFilesGauge();
  KafkaFilesGauge(const KafkaFilesGauge&) = delete;
  KafkaFilesGauge& operator=(const KafkaFilesGauge&) = delete;
};

}  // namespace fanfold
