#pragma once

#include <memory>

#include "common/mysql/connection.h"
#include "common/ports/post_reader.h"

namespace fanfold::mysql {

[[nodiscard]] std::unique_ptr<PostReader> NewPostReader(Projection projection,
                                                        Connection& connection);

}  // namespace fanfold::mysql
