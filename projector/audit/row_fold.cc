#include "projector/audit/row_fold.h"

#include <utility>

namespace fanfold::projector {

RowFold::RowFold(const RowKind& kind, std::vector<Threshold> thresholds,
                 std::function<bool(const RecordKey&)> wants, Callbacks callbacks)
    : kind_(kind),
      thresholds_(std::move(thresholds)),
      wants_(std::move(wants)),
      callbacks_(std::move(callbacks)) {}

void RowFold::Take(const SaidRecord& record) {
  ReachedTo(record.event);
  if (record.moves && wants_(record.key)) {
    RowState& row = rows_[record.key];
    if (!Moves(kind_, record, row)) return ReachedTo(Next(record.event));
    callbacks_.moved(record.key, row, record.state);
    row = record.state;
  }
  ReachedTo(Next(record.event));
}

void RowFold::ReachedTo(Offset next) {
  for (; next_ < thresholds_.size() && thresholds_[next_].position <= next; ++next_) {
    callbacks_.reached(thresholds_[next_].section, rows_);
  }
}

}  // namespace fanfold::projector
