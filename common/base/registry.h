// A handle of an entry in a table that is known when the program is compiled. Text stands for it at
// the borders alone.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace fanfold {

// `Self` derives from it; each entry has a `name`, unique, kept for ever. Ordered as the table is.
template <class Self, const auto& kEntries>
class Registered {
 public:
  static constexpr std::size_t kCount = std::size(kEntries);

  // The table's first.
  constexpr Registered() noexcept = default;

  // Nothing when none is called so.
  [[nodiscard]] static constexpr std::optional<Self> Find(std::string_view name) noexcept {
    for (const Self one : All()) {
      if (one.name() == name) return one;
    }
    return std::nullopt;
  }
  [[nodiscard]] static constexpr std::array<Self, kCount> All() noexcept {
    std::array<Self, kCount> all;
    for (std::size_t i = 0; i < kCount; ++i) {
      static_cast<Registered&>(all[i]).index_ = static_cast<std::uint8_t>(i);
    }
    return all;
  }

  [[nodiscard]] constexpr std::size_t index() const noexcept { return index_; }
  [[nodiscard]] constexpr std::string_view name() const noexcept { return entry().name; }

  friend constexpr auto operator<=>(const Registered&, const Registered&) noexcept = default;

 protected:
  [[nodiscard]] constexpr const auto& entry() const noexcept { return kEntries[index_]; }

 private:
  std::uint8_t index_ = 0;
};

// A value for each entry of a registry, in its order.
template <class Handle, class Value>
class PerEntry {
 public:
  [[nodiscard]] constexpr Value& operator[](Handle handle) noexcept {
    return values_[handle.index()];
  }
  [[nodiscard]] constexpr const Value& operator[](Handle handle) const noexcept {
    return values_[handle.index()];
  }
  // Is no value null? Under the address sanitizer always true: there the compiler does not know
  // that a function of another file exists. Other builds check.
  [[nodiscard]] constexpr bool IsComplete() const noexcept {
#ifdef __SANITIZE_ADDRESS__
    return true;
#else
    return std::ranges::find(values_, nullptr) == values_.end();
#endif
  }
  friend bool operator==(const PerEntry&, const PerEntry&) = default;

 private:
  std::array<Value, Handle::kCount> values_{};
};

}  // namespace fanfold
