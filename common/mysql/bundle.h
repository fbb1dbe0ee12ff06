// Several statements on one way to the server. Internal to the adapter.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/mysql/connection.h"

namespace fanfold::mysql {

// Collects statements without rows, of one transaction, to be sent together.
class Bundle {
 public:
  explicit Bundle(Connection& connection) : connection_(connection) {}

  // Large ones are sent at once, behind what was collected before them.
  void Add(std::string_view sql);
  void Send();

 private:
  // Above it the way to the server is nothing beside the work.
  static constexpr std::size_t kBytesMax = std::size_t{64} << 10;

  Connection& connection_;
  std::string statements_;
  int count_ = 0;
};

}  // namespace fanfold::mysql
