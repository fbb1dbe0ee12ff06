#pragma once

#include "tests/model/relation_model.h"
#include "tests/simulation/ground.h"

namespace fanfold::simulation {

// Asks a reader everything about everybody and compares with the model. Requires: everything is
// folded. Complains to the oracle.
void CheckReads(Ground& ground, const RelationModel& model);

}  // namespace fanfold::simulation
