// The body of a request while it arrives. Internal to common/http.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/http/byte_budget.h"

namespace fanfold::http {

class ArrivingBody {
 public:
  enum class Says : std::uint8_t { kFine, kTooLarge, kNoRoom };

  // Smaller ones are not counted: they are taken whatever others send. So small that those of all
  // connections are bearable.
  static constexpr std::size_t kUncountedMax = std::size_t{16} << 10;

  // Into `bytes`, which is empty. `large`, which may be null, is what large bodies of all share.
  ArrivingBody(std::string& bytes, ByteBudget* large) : bytes_(bytes), large_(large) {}

  void Take(std::size_t bytes_max, ByteBudget::Owner owner) noexcept {
    bytes_max_ = bytes_max;
    owner_ = owner;
  }
  void Skip() noexcept { skips_ = true; }
  // `declared`: how much there is in all; nothing: it comes in chunks.
  [[nodiscard]] Says Append(std::string_view more, std::optional<std::uint64_t> declared);

  [[nodiscard]] std::size_t bytes_max() const noexcept { return bytes_max_; }
  // Its part of the room that all share. If you move it away, you give it back.
  ByteBudget::Room& room() noexcept { return room_; }

 private:
  [[nodiscard]] bool HasRoom(std::size_t size);

  std::string& bytes_;
  ByteBudget* const large_;
  std::size_t bytes_max_ = 0;
  ByteBudget::Owner owner_ = ByteBudget::kNobody;
  bool skips_ = false;
  ByteBudget::Room room_;
};

}  // namespace fanfold::http
