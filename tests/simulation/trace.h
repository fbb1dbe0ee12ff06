// What happened in a run, in order: a digest that tells two runs apart, and lines for a reader.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string_view>

namespace fanfold::simulation {

class Trace {
 public:
  // Lines go to `out`; null: only the digest is kept.
  explicit Trace(std::ostream* out) : out_(out) {}

  void Say(std::string_view what, std::initializer_list<std::int64_t> values = {}) {
    for (const char c : what) Mix(static_cast<unsigned char>(c));
    for (const std::int64_t value : values) Mix(static_cast<std::uint64_t>(value));
    if (out_ == nullptr) return;
    *out_ << what;
    for (const std::int64_t value : values) *out_ << ' ' << value;
    *out_ << '\n';
  }

  // Whether anybody reads along: then `Say` may be explained by lines that are not digested.
  [[nodiscard]] bool verbose() const noexcept { return out_ != nullptr; }
  void Explain(std::string_view text) {
    if (out_ != nullptr) *out_ << "  " << text << '\n';
  }

  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }

 private:
  // One step of FNV-1a, a whole number at a time.
  void Mix(std::uint64_t value) noexcept { digest_ = (digest_ ^ value) * 0x100000001b3ULL; }

  std::ostream* out_;
  std::uint64_t digest_ = 0xcbf29ce484222325ULL;
};

}  // namespace fanfold::simulation
