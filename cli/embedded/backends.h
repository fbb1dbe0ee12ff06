// The verbs on an embedded deployment.
#pragma once

#include <memory>

#include "cli/deployment/serve_note.h"
#include "common/base/result.h"
#include "common/config/config.h"
#include "operations/base/backend.h"

namespace fanfold::embedded {

// All: on the folder that the configuration names.

// That nobody serves: opens it and folds while the backend lives. Errors: Node::Open's.
[[nodiscard]] Result<std::unique_ptr<operations::Backend>> OpenBackend(const Config& config,
                                                                       operations::Reach reach);

// That nobody serves: opens it and folds nothing. Errors: OpenFolderFiles's.
[[nodiscard]] Result<std::unique_ptr<operations::Backend>> OpenUnfoldedBackend(
    const Config& config);

// That `note`'s process serves: appends through it, reads the files beside it.
[[nodiscard]] Result<std::unique_ptr<operations::Backend>> ServedBackend(const Config& config,
                                                                         operations::Reach reach,
                                                                         const ServeNote& note);

}  // namespace fanfold::embedded
