// The latest changes, in the order in which this process read them. Bounded in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "reader/changes/change.h"
#include "reader/changes/change_place.h"

namespace fanfold::reader {

// An event and what told it.
struct ToldEvent {
  StreamPosition event;
  std::uint64_t digest = 0;        // of the record
  std::shared_ptr<Change> change;  // null: nothing that is told
};

// One thread at a time.
class ChangeWindow {
 public:
  // About what an event takes, and what a change takes beside its texts.
  static constexpr std::size_t kEventBytes = sizeof(ToldEvent) + 2 * sizeof(std::uint64_t);
  static constexpr std::size_t kChangeBytes = sizeof(Change) + 64;

  // Empty, at `at`.
  ChangeWindow(const ChangePlace& at, std::size_t bytes_max)
      : bytes_max_(bytes_max), floor_(at), at_(at), held_(at.stands().size()) {}

  // The next event of its partition.
  void Add(const ToldEvent& told);

  // All changes between these two are held.
  [[nodiscard]] const ChangePlace& floor() const noexcept { return floor_; }
  [[nodiscard]] const ChangePlace& at() const noexcept { return at_; }
  // Learns the digests of `place` that are held here.
  void Teach(ChangePlace& place) const;
  // The number of the first event that is not behind `place`.
  [[nodiscard]] std::uint64_t FirstBehind(const ChangePlace& place) const;

  // Numbers of the events held: begin ≤ n < end.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return begin_ + events_.size(); }
  [[nodiscard]] const ToldEvent& operator[](std::uint64_t number) const {
    return events_[static_cast<std::size_t>(number - begin_)].told;
  }
  // As it is told to whoever stands at `at`, where the window stood behind it: made once it is
  // wanted, for all of them. Requires: it is a change.
  [[nodiscard]] std::string_view Text(std::uint64_t number, const ChangePlace& at);
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  const std::size_t bytes_max_;
  ChangePlace floor_;
  ChangePlace at_;
  struct Event {
    ToldEvent told;
    std::string text;
  };
  [[nodiscard]] static std::size_t BytesOf(const Event& event);

  std::deque<Event> events_;
  struct Held {
    std::uint64_t digest;
    std::uint64_t number;
  };
  std::vector<std::deque<Held>> held_;  // by partition, from the floor on
  std::uint64_t begin_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace fanfold::reader
