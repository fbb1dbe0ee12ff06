// The verbs on Kafka and MySQL.
#pragma once

#include <memory>
#include <vector>

#include "common/base/result.h"
#include "common/config/config.h"
#include "operations/base/backend.h"

namespace fanfold::stack {

// As the configuration names them; nothing is reached before it is asked for. Requires: brokers and
// shards are named, as many as a deployment can have.
[[nodiscard]] std::unique_ptr<operations::Backend> NewBackend(Config config,
                                                              operations::Reach reach);

// Errors of the clients about their settings; none when they take all. Reads the files of secrets
// and certificates, and reaches nobody.
[[nodiscard]] std::vector<Error> WhyUnusable(const Config& config);

}  // namespace fanfold::stack
