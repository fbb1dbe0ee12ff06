// Metrics in the Prometheus text format. Thread-safe; a handle lives as long as its Metrics.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fanfold {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

class Counter {
 public:
  virtual ~Counter() = default;
  virtual void Add(double amount) = 0;
  [[nodiscard]] virtual double Value() const = 0;
};

class Gauge {
 public:
  virtual ~Gauge() = default;
  virtual void Set(double value) = 0;
  // For one that several have a part of.
  virtual void Add(double amount) = 0;
};

class Histogram {
 public:
  virtual ~Histogram() = default;
  virtual void Observe(double value) = 0;
};

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // The series of that name and those labels: made at the first call, the same one at later calls.
  // Counters end in _total; durations are seconds, as the format's conventions want.
  [[nodiscard]] Counter& GetCounter(const std::string& name, const std::string& help,
                                    const MetricLabels& labels = {});
  [[nodiscard]] Gauge& GetGauge(const std::string& name, const std::string& help,
                                const MetricLabels& labels = {});
  // Buckets 0.5 ms … 10 s.
  [[nodiscard]] Histogram& GetSeconds(const std::string& name, const std::string& help,
                                      const MetricLabels& labels = {});
  // A histogram of how many things come in one go: buckets 1 … 10,000.
  [[nodiscard]] Histogram& GetSizes(const std::string& name, const std::string& help,
                                    const MetricLabels& labels = {});

  // All series, as GET /metrics answers them.
  [[nodiscard]] std::string Text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fanfold
