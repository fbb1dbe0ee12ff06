// Where a reader is, and what token it is shown.
#pragma once

#include "cli/deployment/serve_note.h"
#include "common/base/result.h"
#include "common/config/config.h"
#include "common/http/http_client.h"

namespace fanfold {

// At `bind` and `reader_port`, over TLS by the first of `hosts`, with the token of `token_file`.
// Reads that file. Errors: ReadShownToken's.
[[nodiscard]] Result<http::HttpEndpoint> ConfiguredReader(const Config& config);
// The note, with the token of `token_file` where the configuration names one. Errors: the same.
[[nodiscard]] Result<ServeNote> WithShownToken(const Config& config, ServeNote note);

}  // namespace fanfold
