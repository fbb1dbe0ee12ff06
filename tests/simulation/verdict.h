// What is looked at when a run has settled.
#pragma once

#include <cstdint>
#include <string>

#include "tests/model/relation_model.h"
#include "tests/simulation/clients.h"
#include "tests/simulation/ground.h"

namespace fanfold::simulation {

// Whether every lane runs, has folded the log to its end, and has published what it decided.
[[nodiscard]] bool IsSettled(Ground& ground);
// In words, when it is not.
[[nodiscard]] std::string WhatIsLeft(Ground& ground);

// Tables against outcomes, outcomes against a model that decides the events anew, answers to
// clients against the log, the reader's answers against the model. Complains to the oracle.
// Requires: IsSettled. Returns who follows whom, by the model; nobody, when it has complained.
RelationModel Judge(Ground& ground, const Clients& clients);

// Tells two final states apart.
[[nodiscard]] std::uint64_t DigestOfTables(Ground& ground);

}  // namespace fanfold::simulation
