// How the code inside a database adapter fails: by this exception alone, which the adapter's public
// methods turn into results.
#pragma once

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "common/base/result.h"

namespace fanfold {

class Failure : public std::exception {
 public:
  // `native` is the library's own code; 0 when there is none.
  Failure(ErrorCode code, std::string message, int native = 0)
      : error_{code, std::move(message)}, native_(native) {}
  [[nodiscard]] const char* what() const noexcept override { return error_.message.c_str(); }
  [[nodiscard]] const Error& error() const noexcept { return error_; }
  [[nodiscard]] int native() const noexcept { return native_; }

 private:
  Error error_;
  int native_;
};

// Runs an adapter's work. Anything thrown that is no Failure comes from a library's depths:
// kInternal.
template <class Work>
auto ResultOf(const Work& work) noexcept -> Result<std::invoke_result_t<Work>> {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
      work();
      return {};
    } else {
      return work();
    }
  } catch (const Failure& failure) {
    return std::unexpected<Error>(failure.error());
  } catch (const std::exception& failure) {
    return Fail(ErrorCode::kInternal, failure.what());
  }
}

}  // namespace fanfold
