// A request beyond its handler's call.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "common/http/http_server.h"

namespace fanfold::http {

// Immutable.
class KeptRequest {
 public:
  explicit KeptRequest(const Request& request);

  [[nodiscard]] std::size_t bytes() const noexcept;
  [[nodiscard]] const CallerPtr& caller() const noexcept { return caller_; }
  // Valid as long as this is.
  [[nodiscard]] Request Of(PrincipalPtr principal) const;

 private:
  const Method method_;
  const std::string path_;
  const std::string query_;
  const std::string body_;  // of a small one
  const std::shared_ptr<const void> body_kept_;
  const std::string_view large_body_;
  const Headers headers_;
  BodyIntake* const intake_;  // its connection hands the request over while it is there
  const CallerPtr caller_;    // not null
};

// Calls the handler; where it throws, which is logged, 500 is answered.
void CallOrFail(const Handler& handler, const Request& request, const Reply& reply);

}  // namespace fanfold::http
