// The verbs on an embedded deployment.
#pragma once

#include <memory>
#include <string>

#include "cli/deployment/serve_note.h"
#include "common/base/config.h"
#include "common/base/result.h"
#include "operations/base/backend.h"

namespace fanfold::embedded {

// A folder that nobody serves: opens it and folds while the backend lives. Errors: Node::Open's.
[[nodiscard]] Result<std::unique_ptr<operations::Backend>> OpenBackend(const std::string& folder,
                                                                       const Config& config,
                                                                       operations::Reach reach);

// A folder that nobody serves: opens it and folds nothing. Errors: OpenFolderFiles's.
[[nodiscard]] Result<std::unique_ptr<operations::Backend>> OpenUnfoldedBackend(
    const std::string& folder, const Config& config);

// A folder that `note`'s process serves: appends through it, reads the files beside it.
[[nodiscard]] Result<std::unique_ptr<operations::Backend>> ServedBackend(const std::string& folder,
                                                                         const Config& config,
                                                                         operations::Reach reach,
                                                                         const ServeNote& note);

}  // namespace fanfold::embedded
