// The answer of `fanfold import`.
#pragma once

#include "cli/terminal/session.h"
#include "operations/log/import.h"

namespace fanfold {

// How much was appended on stdout and, where decisions were waited for, what they are. The first
// events of each reason that were refused go to stderr, with --json into the answer.
void PrintImported(Session& session, const operations::ImportResult& result);

}  // namespace fanfold
