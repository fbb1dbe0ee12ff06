// Ids, positions and cursors as clients send them: one text for each value, but for a position of
// the relations, which may name its stream, and for a cursor as releases before wrote it.
#include <string>

#include "common/base/check.h"
#include "common/post/listed_post.h"
#include "common/relation/cursor.h"
#include "common/stream/position.h"
#include "reader/feed/feed_key.h"
#include "reader/feed/history_page.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {
namespace {

bool IsTextOf(std::string_view input, const std::string& written) {
  const std::string_view unchecked = std::string_view(written).substr(1, written.rfind('-') - 1);
  return input == written || input == unchecked;
}

}  // namespace

const FuzzTarget kPositions("positions", [](std::string_view input) {
  if (const auto user = ParseUserId(input)) {
    FANFOLD_CHECK(user->value >= 1 && user->value <= kUserIdMax && ToString(*user) == input, input);
  }
  if (const auto number = ParseNonNegative(input)) {
    FANFOLD_CHECK(*number >= 0 && std::to_string(*number) == input, input);
  }
  if (const auto cursor = DecodeCursor(input)) {
    FANFOLD_CHECK(cursor->since_ms >= 0 && IsTextOf(input, EncodeCursor(*cursor)), input);
  }
  if (const auto cursor = DecodePostCursor(input)) {
    FANFOLD_CHECK(cursor->score >= 0 && IsTextOf(input, EncodePostCursor(*cursor)), input);
  }
  if (const auto cursor = reader::DecodeFeedCursor(input)) {
    FANFOLD_CHECK(cursor->score >= 0 && cursor->author.value <= kUserIdMax &&
                      IsTextOf(input, reader::EncodeFeedCursor(*cursor)),
                  input);
  }
  if (const auto cursor = reader::DecodeHistoryCursor(input)) {
    FANFOLD_CHECK(cursor->value >= 0 && IsTextOf(input, reader::EncodeHistoryCursor(*cursor)),
                  input);
  }
  if (const auto position = ParsePosition(input)) {
    FANFOLD_CHECK(ToString(*position) == input, input);
  }
  if (const auto positions = ParsePositions(input)) {
    std::string text;
    for (const StreamPosition& position : *positions) {
      text.append(text.empty() ? "" : ",").append(ToString(position));
    }
    FANFOLD_CHECK(text.size() <= input.size() && ParsePositions(text) == positions, text);
  }
});

}  // namespace fanfold
