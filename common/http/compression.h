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

// Sends answers of kGzipBytesMin and above, and exports of any size, as gzip to clients that accept
// gzip. Never a stream of events, since each has to arrive by itself. Gzip takes about 10 ms for
// each MiB: above kGzipAtOnceMax `workers` do it; when they have too much to do the answer is sent
// as it is. Null workers, or a part of an export: the thread that answers compresses. An answer to
// HEAD is not compressed and tells no length. `workers` outlive every answer.
[[nodiscard]] Wrapper Gzipped(Workers* workers = nullptr);
inline constexpr std::size_t kGzipAtOnceMax = std::size_t{32} << 10;

}  // namespace fanfold::http
