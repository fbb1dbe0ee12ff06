#pragma once

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "common/http/router.h"

namespace fanfold::testing {

// The answer to a GET, which may come from another thread.
inline http::Response GetFrom(http::Router& router, const std::string& path,
                              const std::string& query) {
  http::Request request;
  request.method = http::Method::kGet;
  request.path = path;
  request.query = query;
  const auto answer = std::make_shared<std::promise<http::Response>>();
  router(request, http::Reply([answer](http::Response response) {
           answer->set_value(std::move(response));
         }));
  return answer->get_future().get();
}

}  // namespace fanfold::testing
