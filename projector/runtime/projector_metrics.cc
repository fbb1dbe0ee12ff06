#include "projector/runtime/projector_metrics.h"

#include <string>

namespace fanfold::projector {
namespace {
MetricLabels Labels(Projection projection) {
  return {{"projection", std::string(ToString(projection))}};
}
}  // namespace

ProjectorMetrics::ProjectorMetrics(Metrics& metrics, Projection projection)
    : records(metrics.GetCounter("fanfold_projector_records_total",
                                 "Records of the log whose effect is committed",
                                 Labels(projection))),
      edges(metrics.GetCounter("fanfold_projector_rows_total", "Rows written", Labels(projection))),
      repeats(metrics.GetCounter("fanfold_projector_repeats_total",
                                 "Records below a lane's position, dropped", Labels(projection))),
      parked(metrics.GetCounter("fanfold_parked_total", "Records parked", Labels(projection))),
      fenced(metrics.GetCounter("fanfold_fenced_total",
                                "Batches dropped because another owner has the lane",
                                Labels(projection))),
      halted(metrics.GetCounter("fanfold_halted_total", "Lanes halted", Labels(projection))),
      claims(metrics.GetCounter("fanfold_claims_total", "Lanes taken", Labels(projection))),
      retries(metrics.GetCounter("fanfold_projector_retries_total",
                                 "Transactions tried again after a conflict", Labels(projection))),
      outbox(metrics.GetGauge("fanfold_projector_outbox_outcomes",
                              "Outcomes that are committed and not known to be in the topic",
                              Labels(projection))),
      batch(metrics.GetSizes("fanfold_projector_batch_records", "Records of one transaction",
                             Labels(projection))),
      commit_seconds(metrics.GetSeconds("fanfold_projector_commit_seconds",
                                        "Time of one batch's transaction", Labels(projection))),
      load_seconds(metrics.GetSeconds("fanfold_projector_load_seconds",
                                      "Time to read one batch's rows", Labels(projection))) {}

}  // namespace fanfold::projector
