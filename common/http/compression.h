// Answers made smaller for clients that ask for it.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/http/workers.h"
#include "common/http/wrapper.h"

namespace fanfold::http {

// Below it an answer is sent as it is: what compressing costs is more than what it saves.
inline constexpr std::size_t kGzipBytesMin = std::size_t{8} << 10;

// Does an Accept-Encoding take gzip (RFC 9110, 12.5.3)? Pure.
[[nodiscard]] bool TakesGzip(std::string_view accept_encoding) noexcept;

// To whoever takes it, answers of kGzipBytesMin and above, and exports, whatever their size, are
// sent as gzip; a stream of events never is, since each has to arrive by itself. It takes about 10
// ms for each MiB: above kGzipAtOnceMax `workers` do it, and where those have too much to do the
// answer is sent as it is; null, as for parts of an export: the thread that answers does. Of HEAD
// nothing is compressed, and no length told. `workers` outlive every answer.
[[nodiscard]] Wrapper Gzipped(Workers* workers = nullptr);
inline constexpr std::size_t kGzipAtOnceMax = std::size_t{32} << 10;

}  // namespace fanfold::http
