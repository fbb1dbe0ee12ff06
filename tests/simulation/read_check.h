#pragma once

#include "reader/tables/sharded_reader.h"
#include "tests/model/relation_model.h"
#include "tests/simulation/ground.h"

namespace fanfold::simulation {

// Asks everything about everybody and compares with the model. Requires: everything is folded.
// Complains to the oracle.
void CheckReads(Ground& ground, const RelationModel& model, reader::ShardedLists& lists);

}  // namespace fanfold::simulation
