// Shells start processes with 1,024 open files, and each connection is one. Internal to
// common/http.
#pragma once

#include <cstddef>

namespace fanfold::http {

// Lets the process open files for these connections, beside those of its other servers and 500 for
// databases, brokers, tokens and logs. Where the system allows less, the log says so: half of the
// allowed files, up to those 500, stay free of connections, and servers share the rest. The
// process's limit is not lowered again when this goes. Thread-safe.
class OpenFiles {
 public:
  explicit OpenFiles(std::size_t connections_max);
  ~OpenFiles();
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;

  // How many there may be for now: as many as were asked for, where the system allows it.
  [[nodiscard]] std::size_t connections_max() const noexcept;

 private:
  const std::size_t connections_max_;
};

}  // namespace fanfold::http
