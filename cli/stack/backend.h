// The verbs on Kafka and MySQL.
#pragma once

#include <memory>

#include "common/base/result.h"
#include "common/config/config.h"
#include "operations/base/backend.h"

namespace fanfold::stack {

// As the configuration names them; nothing is reached before it is asked for. Requires: brokers and
// shards are named, as many as a deployment can have.
[[nodiscard]] std::unique_ptr<operations::Backend> NewBackend(Config config,
                                                              operations::Reach reach);

// Would the clients take what they are told? Reads secrets' files, and reaches nobody.
[[nodiscard]] Status CheckUsable(const Config& config);

}  // namespace fanfold::stack
