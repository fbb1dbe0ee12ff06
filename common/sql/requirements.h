// The ports' requirements of their callers; a call that breaks one stops the process.
#pragma once

#include <span>

#include "common/ports/edge_store.h"
#include "common/ports/projection_reader.h"
#include "common/ports/table_operations.h"

namespace fanfold {

void CheckBatch(const LaneBatch& batch);
void CheckWrites(const EdgeWrites& writes);
void CheckLoad(std::span<const EdgeKey> edges, std::span<const UserId> users);
void CheckStart(const PageStart& start);
void CheckNamed(std::span<const UserId> users);
void CheckQuestions(std::span<const ListQuestion> questions);
void CheckLists(std::span<const WholeLists> asked);
void CheckRepair(const RepairScope& scope, const RepairBase& base);

}  // namespace fanfold
