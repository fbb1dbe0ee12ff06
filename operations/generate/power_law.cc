#include <algorithm>

#include "operations/generate/graph_generator.h"

namespace fanfold::operations {
namespace {

// m of the law, in units of 1/kScale.
constexpr std::uint64_t kScale = 1024;
constexpr std::uint64_t kScaledMMax = std::uint64_t{1} << 24;

// How many of the users have a degree above k.
class Tail {
 public:
  Tail(std::uint64_t users, std::uint64_t cap, int exponent, std::uint64_t scaled_m)
      : users_(users), cap_(cap), exponent_(exponent), scaled_m_(scaled_m) {}

  [[nodiscard]] std::uint64_t Above(std::uint64_t k) const {
    if (k >= cap_) return 0;
    __extension__ using Wide = unsigned __int128;
    Wide count = users_;
    for (int i = 0; i < exponent_; ++i) count = count * scaled_m_ / (scaled_m_ + kScale * k);
    return static_cast<std::uint64_t>(count);
  }

  // The sum of all degrees, or something at or above `enough`.
  [[nodiscard]] std::uint64_t Sum(std::uint64_t enough) const {
    std::uint64_t sum = 0;
    for (std::uint64_t k = 0; k < cap_ && sum < enough; ++k) {
      const std::uint64_t above = Above(k);
      if (above == 0) break;
      sum += above;
    }
    return sum;
  }

 private:
  std::uint64_t users_;
  std::uint64_t cap_;
  int exponent_;
  std::uint64_t scaled_m_;
};

// The largest m whose sum is at most `total`.
std::uint64_t FitM(std::uint64_t users, std::uint64_t total, std::uint64_t cap, int exponent) {
  std::uint64_t low = 0;
  std::uint64_t high = kScaledMMax;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    const bool fits = Tail(users, cap, exponent, middle).Sum(total + 1) <= total;
    (fits ? low : high) = middle;
  }
  return low;
}

// Gives what rounding left over to the smallest, one each, again and again until it is gone.
void AddUpTo(std::uint64_t total, std::uint64_t cap, std::vector<std::uint32_t>& degrees) {
  std::uint64_t sum = 0;
  for (const std::uint32_t degree : degrees) sum += degree;
  bool grew = true;
  while (sum < total && grew) {
    grew = false;
    for (auto degree = degrees.rbegin(); degree != degrees.rend() && sum < total; ++degree) {
      if (*degree >= cap) continue;
      ++*degree;
      ++sum;
      grew = true;
    }
  }
}

}  // namespace

std::vector<std::uint32_t> PowerLawDegrees(std::uint64_t users, std::uint64_t total,
                                           std::uint64_t cap, int exponent) {
  if (users == 0 || cap == 0) return {};
  total = std::clamp(total, users, users * cap);
  const Tail tail(users, cap, exponent,
                  std::max<std::uint64_t>(FitM(users, total, cap, exponent), 1));
  std::vector<std::uint32_t> degrees(users, 1);
  for (std::uint64_t k = 1; k < cap; ++k) {
    const std::uint64_t above = tail.Above(k);
    if (above == 0) break;
    for (std::uint64_t i = 0; i < above; ++i) ++degrees[i];
  }
  AddUpTo(total, cap, degrees);
  std::ranges::sort(degrees, std::ranges::greater());
  return degrees;
}

}  // namespace fanfold::operations
