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
      deleted_accounts(metrics.GetGauge("fanfold_projector_deleted_accounts",
                                        "Accounts remembered as deleted once, 8 bytes each",
                                        Labels(projection))),
      batch(metrics.GetSizes("fanfold_projector_batch_records", "Records of one transaction",
                             Labels(projection))),
      commit_seconds(metrics.GetSeconds("fanfold_projector_commit_seconds",
                                        "Time of one batch's transaction", Labels(projection))),
      load_seconds(metrics.GetSeconds("fanfold_projector_load_seconds",
                                      "Time to read one batch's rows", Labels(projection))),
      metrics_(metrics),
      projection_(projection) {}

void ProjectorMetrics::CountOutcomes(std::string_view kind, std::string_view reason,
                                     std::int64_t count) {
  MetricLabels labels = Labels(projection_);
  labels.emplace_back("outcome", kind);
  labels.emplace_back("reason", reason);
  metrics_
      .GetCounter("fanfold_projector_outcomes_total",
                  "Events decided, by what was decided, and why where they were refused", labels)
      .Add(static_cast<double>(count));
}

}  // namespace fanfold::projector
