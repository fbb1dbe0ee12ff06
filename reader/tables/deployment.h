#pragma once

#include "common/ports/projection_reader.h"
#include "common/relation/slot.h"

namespace fanfold::reader {

// The deployment as the catalog last said.
struct Deployment {
  Placement placement;
  ReadGenerations read;
};

}  // namespace fanfold::reader
