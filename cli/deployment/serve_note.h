// The note that a `serve` process leaves in its folder, so that the other verbs find it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/http/http_client.h"

namespace fanfold {

struct ServeNote {
  std::int64_t pid = 0;
  std::string host;
  std::uint16_t port = 0;
  // The token that it lends to readers of the folder's secrets, in a file of its own with mode
  // 0600; empty: it asks for none, or it is not for us.
  std::string token = {};
  std::string certificate_file = {};  // empty: it does without TLS
  [[nodiscard]] http::HttpEndpoint endpoint() const {
    return {host, port, token, !certificate_file.empty(), certificate_file};
  }
};

// The note of the process that serves the folder now; nothing when none does, or before it listens.
[[nodiscard]] std::optional<ServeNote> FindServing(const std::string& folder);

// The note stands in the folder while this lives. Errors of writing leave no note: the verbs then
// say that the folder has an owner.
class ServeNoteFile {
 public:
  ServeNoteFile(const std::string& folder, const ServeNote& note);
  ~ServeNoteFile();
  ServeNoteFile(const ServeNoteFile&) = delete;
  ServeNoteFile& operator=(const ServeNoteFile&) = delete;

 private:
  void WriteToken(const std::string& token) const;

  const std::string path_;
  const std::string token_path_;
  int descriptor_ = -1;
};

}  // namespace fanfold
