#include "cli/deployment/reader_endpoint.h"

#include <string>
#include <utility>

#include "cli/deployment/shown_token.h"

namespace fanfold {
namespace {

Status ReadInto(std::string& token, const Config& config) {
  if (config.token_file.empty()) return {};
  Result<std::string> read = ReadShownToken(config.token_file);
  if (!read) return Forward(read);
  token = *std::move(read);
  return {};
}

}  // namespace

Result<http::HttpEndpoint> ConfiguredReader(const Config& config) {
  http::HttpEndpoint reader{.host = config.bind, .port = config.reader_port};
  reader.tls = !config.tls_certificate_file.empty() || !config.ca_file.empty();
  reader.ca_file = config.ca_file;
  if (reader.tls) reader.name = config.hosts.empty() ? config.bind : config.hosts.front();
  if (Status shows = ReadInto(reader.token, config); !shows) return Forward(shows);
  return reader;
}

Result<ServeNote> WithShownToken(const Config& config, ServeNote note) {
  if (Status shows = ReadInto(note.token, config); !shows) return Forward(shows);
  return note;
}

}  // namespace fanfold
