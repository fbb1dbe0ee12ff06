// The ids of an import's events: they say which import and which line an outcome is of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fanfold::operations {

// 32 hexadecimal digits: 64 random bits, which no other import draws, and the number of the line.
class ImportIds {
 public:
  ImportIds();

  // Valid until the next call.
  const std::string& Of(std::int64_t line);
  // Nothing where the event is not of this import.
  [[nodiscard]] std::optional<std::int64_t> LineOf(std::string_view id) const;

 private:
  static constexpr std::size_t kOfImport = 16;
  std::string id_;
};

}  // namespace fanfold::operations
