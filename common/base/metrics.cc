#include "common/base/metrics.h"

#include <map>
#include <mutex>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace fanfold {
namespace {

class PrometheusCounter final : public Counter {
 public:
  explicit PrometheusCounter(prometheus::Counter& counter) : counter_(counter) {}
  void Add(double amount) override { counter_.Increment(amount); }
  [[nodiscard]] double Value() const override { return counter_.Value(); }

 private:
  prometheus::Counter& counter_;
};

class PrometheusGauge final : public Gauge {
 public:
  explicit PrometheusGauge(prometheus::Gauge& gauge) : gauge_(gauge) {}
  void Set(double value) override { gauge_.Set(value); }
  void Add(double amount) override { gauge_.Increment(amount); }

 private:
  prometheus::Gauge& gauge_;
};

class PrometheusHistogram final : public Histogram {
 public:
  explicit PrometheusHistogram(prometheus::Histogram& histogram) : histogram_(histogram) {}
  void Observe(double value) override { histogram_.Observe(value); }

 private:
  prometheus::Histogram& histogram_;
};

using Labels = std::map<std::string, std::string>;
using SeriesKey = std::pair<std::string, Labels>;

const prometheus::Histogram::BucketBoundaries kSecondsBuckets = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
const prometheus::Histogram::BucketBoundaries kSizesBuckets = {
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1'000, 2'000, 5'000, 10'000};

}  // namespace

struct Metrics::Impl {
  prometheus::Registry registry{prometheus::Registry::InsertBehavior::Merge};
  std::mutex mutex;
  std::map<SeriesKey, std::unique_ptr<Counter>> counters;
  std::map<SeriesKey, std::unique_ptr<Gauge>> gauges;
  std::map<SeriesKey, std::unique_ptr<Histogram>> histograms;

  template <class Handle, class Make>
  Handle& Get(std::map<SeriesKey, std::unique_ptr<Handle>>& known, const std::string& name,
              const MetricLabels& labels, const Make& make) {
    Labels sorted(labels.begin(), labels.end());
    const std::lock_guard lock(mutex);
    std::unique_ptr<Handle>& slot = known[SeriesKey{name, sorted}];
    if (slot == nullptr) slot = make(sorted);
    return *slot;
  }

  Histogram& GetHistogram(const std::string& name, const std::string& help,
                          const MetricLabels& labels,
                          const prometheus::Histogram::BucketBoundaries& buckets) {
    return Get(histograms, name, labels, [&](const Labels& sorted) {
      return std::make_unique<PrometheusHistogram>(
          prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add(sorted,
                                                                                    buckets));
    });
  }
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

Counter& Metrics::GetCounter(const std::string& name, const std::string& help,
                             const MetricLabels& labels) {
  return impl_->Get(impl_->counters, name, labels, [&](const Labels& sorted) {
    return std::make_unique<PrometheusCounter>(
        prometheus::BuildCounter().Name(name).Help(help).Register(impl_->registry).Add(sorted));
  });
}

Gauge& Metrics::GetGauge(const std::string& name, const std::string& help,
                         const MetricLabels& labels) {
  return impl_->Get(impl_->gauges, name, labels, [&](const Labels& sorted) {
    return std::make_unique<PrometheusGauge>(
        prometheus::BuildGauge().Name(name).Help(help).Register(impl_->registry).Add(sorted));
  });
}

Histogram& Metrics::GetSeconds(const std::string& name, const std::string& help,
                               const MetricLabels& labels) {
  return impl_->GetHistogram(name, help, labels, kSecondsBuckets);
}

Histogram& Metrics::GetSizes(const std::string& name, const std::string& help,
                             const MetricLabels& labels) {
  return impl_->GetHistogram(name, help, labels, kSizesBuckets);
}

std::string Metrics::Text() const {
  return prometheus::TextSerializer().Serialize(impl_->registry.Collect());
}

}  // namespace fanfold
