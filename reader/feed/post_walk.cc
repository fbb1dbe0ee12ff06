#include "reader/feed/post_walk.h"

namespace fanfold::reader {
namespace {

template <class Tells>
const PostRun* RunThat(const AuthorRuns& runs, const Tells& tells) noexcept {
  if (runs.newest != nullptr && tells(*runs.newest)) return runs.newest;
  for (const PostRun* run : runs.others) {
    if (run != nullptr && tells(*run)) return run;
  }
  return nullptr;
}

}  // namespace

Step PostsDown::Next() noexcept {
  for (;;) {
    if (run_ != nullptr && place_ > 0) {
      key_ = place_ == run_->size() ? run_->Newest() : run_->At(place_ - 1);
      --place_;
      return Step::kPost;
    }
    if (run_ != nullptr) key_ = run_->low();
    if (key_ == kBelowAll) return Step::kEnd;
    run_ = RunThat(*runs_,
                   [this](const PostRun& run) { return run.low() < key_ && key_ <= run.high(); });
    if (run_ == nullptr) return Step::kUnknown;
    run_->Touch();
    place_ = run_->PlaceOf(key_);
  }
}

Step PostsUp::Next() noexcept {
  for (;;) {
    if (run_ != nullptr && place_ < run_->size()) {
      key_ = run_->At(place_++);
      return Step::kPost;
    }
    if (run_ != nullptr) key_ = run_->high();
    if (key_ == kAboveAll) return Step::kEnd;
    run_ = RunThat(*runs_,
                   [this](const PostRun& run) { return run.low() <= key_ && key_ < run.high(); });
    if (run_ == nullptr) return Step::kUnknown;
    run_->Touch();
    place_ = run_->PlaceOf(key_);
  }
}

}  // namespace fanfold::reader
