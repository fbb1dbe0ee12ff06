#include "common/sql/inbox_rows.h"

#include <fmt/format.h>

#include "common/sql/table_names.h"

namespace fanfold {

std::string SelectInboxText(Generation following) {
  constexpr Projection kFollowing = *Projection::Find("following");
  return fmt::format(
      "SELECT {} k, made a, follows_at b, floor_score c, floor_author d, floor_post e, stand t "
      "FROM inboxes WHERE `partition` = ?1 AND owner_id = ?2 UNION ALL "
      "SELECT {}, 0, 0, 0, 0, 0, bytes FROM inbox_parts WHERE owner_id = ?2 UNION ALL "
      "SELECT {}, `partition`, next_event, 0, 0, 0, '' FROM inbox_progress WHERE epoch = ?3 AND "
      "stream = '{}' UNION ALL "
      "SELECT {}, event_offset < folded_offset, event_offset, 0, 0, 0, '' FROM progress WHERE "
      "projection = '{}' AND generation = ?4 AND `partition` = ?1 AND stream = '{}' UNION ALL "
      "SELECT {}, 0, 0, 0, target_id, 0, '' FROM {} WHERE user_id = ?2 AND version > (SELECT "
      "follows_at FROM inboxes WHERE `partition` = ?1 AND owner_id = ?2)",
      static_cast<int>(InboxRow::kHead), static_cast<int>(InboxRow::kPart),
      static_cast<int>(InboxRow::kDelivered), streams::kPosts.name(),
      static_cast<int>(InboxRow::kFollowing), kFollowing.name(), kFollowing.stream().name(),
      static_cast<int>(InboxRow::kChanged), TableOf(kFollowing.tables()[0], following));
}

}  // namespace fanfold
