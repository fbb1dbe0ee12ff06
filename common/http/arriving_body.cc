#include "common/http/arriving_body.h"

#include <bit>

namespace fanfold::http {
namespace {

// What is larger is given all the memory that it may need at once, which costs nothing before it is
// written: to grow it would be copied.
constexpr std::size_t kGrowingBytesMax = std::size_t{64} << 10;

}  // namespace

ArrivingBody::Says ArrivingBody::Append(std::string_view more,
                                        std::optional<std::uint64_t> declared) {
  if (skips_) return Says::kFine;
  const std::size_t size = bytes_.size() + more.size();
  if (size > bytes_max_) return Says::kTooLarge;
  if (!HasRoom(size)) return Says::kNoRoom;
  if (size > kGrowingBytesMax && bytes_.capacity() < size) {
    bytes_.reserve(declared.value_or(bytes_max_));
  }
  bytes_.append(more);
  return Says::kFine;
}

bool ArrivingBody::HasRoom(std::size_t size) {
  const std::size_t held = std::bit_ceil(size);
  if (large_ == nullptr || held <= kUncountedMax) return true;
  if (room_ && room_.get_deleter().bytes == held) return true;
  room_.reset();
  room_ = large_->TakeFor(owner_, held);
  return room_ != nullptr;
}

}  // namespace fanfold::http
