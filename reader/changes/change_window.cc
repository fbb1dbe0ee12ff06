#include "reader/changes/change_window.h"

#include <utility>

namespace fanfold::reader {
namespace {

std::size_t BytesOf(const Change& change) {
  return ChangeWindow::kChangeBytes + change.members.capacity();
}

}  // namespace

void ChangeWindow::Add(const StreamPosition& event, ChangePtr change) {
  at_.Pass(event);
  if (!change) return;
  bytes_ += BytesOf(*change);
  changes_.push_back(std::move(change));
  while (bytes_ > bytes_max_) {
    floor_.Pass(changes_.front()->event);
    bytes_ -= BytesOf(*changes_.front());
    changes_.pop_front();
    ++begin_;
  }
}

}  // namespace fanfold::reader
