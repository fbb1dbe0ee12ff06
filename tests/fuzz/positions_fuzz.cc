// Ids, positions and cursors as clients send them: one text for each value, but for a position of
// the relations, which may name its stream.
#include <string>

#include "common/base/check.h"
#include "common/post/listed_post.h"
#include "common/relation/cursor.h"
#include "common/stream/position.h"
#include "reader/feed/feed_key.h"
#include "reader/feed/history_page.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {

const FuzzTarget kPositions("positions", [](std::string_view input) {
  if (const auto user = ParseUserId(input)) {
    FANFOLD_CHECK(user->value >= 1 && user->value <= kUserIdMax && ToString(*user) == input, input);
  }
  if (const auto number = ParseNonNegative(input)) {
    FANFOLD_CHECK(*number >= 0 && std::to_string(*number) == input, input);
  }
  if (const auto cursor = DecodeCursor(input)) {
    FANFOLD_CHECK(cursor->since_ms >= 0 && EncodeCursor(*cursor) == input, input);
  }
  if (const auto cursor = DecodePostCursor(input)) {
    FANFOLD_CHECK(cursor->score >= 0 && EncodePostCursor(*cursor) == input, input);
  }
  if (const auto cursor = reader::DecodeFeedCursor(input)) {
    FANFOLD_CHECK(cursor->score >= 0 && cursor->author.value <= kUserIdMax &&
                      reader::EncodeFeedCursor(*cursor) == input,
                  input);
  }
  if (const auto cursor = reader::DecodeHistoryCursor(input)) {
    FANFOLD_CHECK(cursor->value >= 0 && reader::EncodeHistoryCursor(*cursor) == input, input);
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
