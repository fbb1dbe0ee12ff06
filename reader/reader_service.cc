#include "reader/reader_service.h"

#include "reader/routes.h"

namespace fanfold {

ReaderService::ReaderService(EventLog& log, const ReaderFactory& factory, std::int32_t shards,
                             int threads, Metrics& metrics, const Clock& clock)
    : metrics_(metrics),
      board_(clock, shards),
      executor_(board_, waits_, pool_, clock),
      pool_(factory, threads,
            metrics.GetGauge("fanfold_reader_queue", "Queries that wait for a worker")),
      waits_(board_, clock),
      rechecker_([this](const std::stop_token& stop) { waits_.Run(stop); }),
      poller_(board_, factory, log, metrics, clock) {}

void ReaderService::AddRoutes(http::Router& router) {
  AddReaderRoutes(router, executor_, metrics_);
}

}  // namespace fanfold
