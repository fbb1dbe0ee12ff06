// Answers as JSON, written by hand where they are hot; tests hold them equal to nlohmann's.
#pragma once

#include <span>
#include <string>

#include "reader/freshness/projections_view.h"
#include "reader/query_service.h"

namespace fanfold::reader {

[[nodiscard]] std::string ToJson(const ListAnswer& answer);
[[nodiscard]] std::string ToJson(const UserCounts& counts);
[[nodiscard]] std::string ToJson(std::span<const UserCounts> counts);
[[nodiscard]] std::string ToJson(const RelationsAnswer& answer);
[[nodiscard]] std::string ToJson(std::span<const Suggestion> suggestions);
// A line for each.
[[nodiscard]] std::string ToNdjson(std::span<const ListedUser> listed);
[[nodiscard]] std::string ToJson(std::span<const ProjectionView> projections);

}  // namespace fanfold::reader
