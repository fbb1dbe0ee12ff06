// Commands in what is told, so that they can be pasted into the shell that told them.
#pragma once

#include <string>
#include <string_view>

#include "cli/deployment/deployment.h"

namespace fanfold {

struct HowToCall {
  std::string fanfold = "fanfold";
  std::string deployment;                          // its option: " --dir ./var/fanfold", say
  std::string kafka_configs = "kafka-configs.sh";  // with its --bootstrap-server
};

// As the program was called, on what was found. Settings that variables name need no option: they
// stay. Looks at the disk: a stack of this machine has Kafka's command beside its jars.
[[nodiscard]] HowToCall HowToCallOn(const std::string& program, const FoundDeployment& found);

// `text` with its commands, `fanfold …` and kafka-configs.sh, as they are to be called. Pure.
[[nodiscard]] std::string Pasteable(std::string_view text, const HowToCall& calls);

}  // namespace fanfold
