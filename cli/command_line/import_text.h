// What `fanfold import --help` teaches.
#pragma once

namespace fanfold {

inline constexpr const char* kImportText =
    "TSV lines are `subject object [since_ms]`; JSONL lines are\n"
    R"({"type":"follow|unfollow|remove_fan","subject":"1","object":"2","at":1655884250592})"
    "\nof which `at` alone may be missing, and a member of another name makes a line bad. Times\n"
    "are ms since 1970 UTC and become the follow's `since`; without one it is now. Blank lines\n"
    "and # lines are skipped, bad lines are told and stop nothing. Importing a file twice\n"
    "changes nothing the second time.\n\n"
    "With --posts: JSONL lines are\n"
    R"({"author":"1","post_id":"7","content":"Hello","post_type":0,"at":1655884250592})"
    "\nof which author and post_id alone must be there, or, of the end of a post, author, post_id\n"
    "and \"delete\":true. `at` becomes the post's score; a process that\n"
    "serves the folder takes none that is more than a minute ahead.\n\n"
    "With --log: a log moves in, into an empty one with empty tables, while no projector runs:\n"
    "both are looked at first, and the file, where it can be read twice. With as many\n"
    "partitions every record of every topic lands at its offset, each checked, so that the\n"
    "tables folded there equal those it came from, row by row; the times of append are those\n"
    "of the move. With another number it is a new log: the events alone, decided afresh, so\n"
    "versions differ. Start the projectors when it has ended; a folder is folded at once.\n\n"
    "Examples:\n  fanfold import follows.tsv.gz && fanfold wait\n"
    "  fanfold generate --users 100000 | fanfold import -\n"
    "  fanfold import --posts posts.jsonl && fanfold wait\n"
    "  fanfold init --config new.toml && fanfold import --log log.jsonl --config new.toml\n";

}  // namespace fanfold
