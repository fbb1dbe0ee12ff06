#include "operations/log/line_events.h"

#include <utility>
#include <vector>

#include "common/profile/profile_event.h"
#include "common/relation/codec.h"
#include "operations/log/post_line.h"
#include "operations/log/profile_line.h"

namespace fanfold::operations {
namespace {

class RelationLines final : public LineEvents {
 public:
  explicit RelationLines(const ImportLayout& layout)
      : LineEvents(layout.time),
        format_(layout.columns ? ImportFormat::kCsv : layout.format),
        columns_(layout.columns) {}

  Result<bool> Begin(std::string_view line) override {
    if (!format_) format_ = FormatOf(line);
    if (format_ != ImportFormat::kCsv) return true;
    delimiter_ = DelimiterOf(line);
    std::expected<CsvPlaces, std::string> places = std::unexpected("a quote is not closed");
    if (SplitCsv(line, delimiter_, fields_)) places = PlacesOf(columns_, fields_);
    if (!places) return Fail(ErrorCode::kInvalidArgument, std::move(places.error()));
    places_ = *places;
    return !places_.has_header;
  }

  std::optional<char> joined_between() const override {
    const bool joins = format_ == ImportFormat::kCsv && delimiter_ != '\t';
    return joins ? std::optional(delimiter_) : std::nullopt;
  }

  std::expected<UserId, BadLine> Encode(std::string_view line, const std::string& event_id,
                                        std::int64_t now_ms, std::string& value) override {
    const ParsedLine parsed = Parse(line);
    if (!parsed) return std::unexpected(parsed.error());
    event_.event_id = event_id;
    event_.type = parsed->type;
    event_.subject = parsed->subject;
    event_.object = parsed->object;
    event_.at_ms = TimeOr(parsed->at_ms, now_ms);
    event_.by = parsed->by;
    AppendEvent(value, event_);
    return event_.subject;
  }

 private:
  ParsedLine Parse(std::string_view line) {
    switch (format_.value_or(ImportFormat::kTsv)) {
      case ImportFormat::kTsv:
        return ParseTsvLine(line, unit());
      case ImportFormat::kJsonl:
        return ParseJsonLine(line, unit());
      case ImportFormat::kCsv:
        break;
    }
    if (SplitCsv(line, delimiter_, fields_)) return ParseCsvFields(fields_, places_, unit());
    return std::unexpected("a quote is not closed, or something stands behind the closed one");
  }

  std::optional<ImportFormat> format_;
  const std::optional<CsvColumns> columns_;
  char delimiter_ = ',';
  CsvPlaces places_;
  std::vector<std::string> fields_;  // reused, as the event is: their strings keep their memory
  Event event_;
};

class PostLines final : public LineEvents {
 public:
  using LineEvents::LineEvents;

  std::expected<UserId, BadLine> Encode(std::string_view line, const std::string& event_id,
                                        std::int64_t now_ms, std::string& value) override {
    std::expected<PostLine, BadLine> parsed = ParsePostLine(line, unit());
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    parsed->event.event_id = event_id;
    parsed->event.at_ms = TimeOr(parsed->at_ms, now_ms);
    AppendPostEvent(value, parsed->event);
    return parsed->event.author;
  }
};

class ProfileLines final : public LineEvents {
 public:
  using LineEvents::LineEvents;

  std::expected<UserId, BadLine> Encode(std::string_view line, const std::string& event_id,
                                        std::int64_t now_ms, std::string& value) override {
    std::expected<ProfileLine, BadLine> parsed = ParseProfileLine(line, unit());
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    const ProfileEvent event{event_id, parsed->user, TimeOr(parsed->at_ms, now_ms),
                             ProfileSet{std::move(parsed->profile)}};
    AppendProfileEvent(value, event);
    return event.user;
  }
};

}  // namespace

ImportKind KindOf(const ImportLayout& layout) {
  switch (layout.of) {
    case ImportOf::kFollows:
      break;
    case ImportOf::kPosts:
      return {topics::kPostEvents, kPostLineBytesMax, std::make_unique<PostLines>(layout.time)};
    case ImportOf::kProfiles:
      return {topics::kUserEvents, kProfileLineBytesMax,
              std::make_unique<ProfileLines>(layout.time)};
  }
  return {topics::kRelationEvents, kImportLineBytesMax, std::make_unique<RelationLines>(layout)};
}

}  // namespace fanfold::operations
