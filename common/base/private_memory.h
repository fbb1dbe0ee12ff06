#pragma once

namespace fanfold {

// From now on nobody but root sees the process's memory: it leaves no core, and no other process of
// its user may look into it.
void KeepMemoryPrivate() noexcept;

}  // namespace fanfold
