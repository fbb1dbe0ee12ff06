// The text of `fanfold import --help`.
#pragma once

namespace fanfold {

inline constexpr const char* kImportText =
    "TSV lines are `subject object [since]`; JSONL lines are\n"
    R"({"type":"follow|unfollow|remove_fan","subject":"1","object":"2","at":1655884250592})"
    "\nof which `at` alone may be missing, and a member of another name makes a line bad. CSV has\n"
    "a header with the columns subject, object and, perhaps, since, or none and its columns in\n"
    "that order; --columns names others, which also a TSV with a header may have. Ids and times\n"
    "may stand in quotes. Times are ms since 1970 UTC, or what --time says (without a zone: UTC),\n"
    "and become the follow's `since`; without one it is now. A line at the end says from when to "
    "when they are:\n"
    "1970 there means seconds that were taken for ms. Blank lines and # lines are skipped, bad\n"
    "lines are told and stop nothing. Importing a file twice changes nothing the second time.\n"
    "The text is UTF-8, or UTF-16 with its byte order mark; other packed or binary files than\n"
    "gzip are refused. Of a gzip that was cut the whole lines are taken, and exit 1 says so.\n\n"
    "A line that is appended may still be refused: the subject follows as many as may be, or an\n"
    "account has ended. So it waits until all is decided, and tells how many were followed,\n"
    "unchanged or rejected, and the first 20 lines of each reason. Others may not see it all at\n"
    "once: `fanfold wait`. Exit 1: every line was bad, or the log failed. Exit 2: nothing was\n"
    "decided for as long as --timeout says; with --strict also where something was bad or\n"
    "refused. Exit 3: a lane that has to decide has halted. With --no-wait it ends when all is\n"
    "in the log, not yet decided, and so --strict cannot tell what is refused: the two exclude\n"
    "each other.\n\n"
    "With --posts: JSONL lines are\n"
    R"({"author":"1","post_id":"7","content":"Hello","post_type":0,"at":1655884250592})"
    "\nof which author and post_id alone must be there, or, of the end of a post, author, post_id\n"
    "and \"delete\":true. `at` becomes the post's score, also one that is still to come.\n\n"
    "With --profiles: JSONL lines are\n"
    R"({"user":"1","name":"Ann","avatar_url":null,"bio":null,"verified":false,"at":1655884250592})"
    "\nof which user alone must be there: each is the user's whole profile, the last one wins.\n"
    "Nothing is decided about profiles: of an account that has ended they change nothing, "
    "untold.\n\n"
    "With --log: a log moves in, into an empty one with empty tables, while no projector runs:\n"
    "both are looked at first, and the file, where it can be read twice. With as many\n"
    "partitions every record of every topic lands at its offset, each checked, so that the\n"
    "tables folded there equal those it came from, row by row; the times of append are those\n"
    "of the move. With another number it is a new log: the events alone, decided afresh, so\n"
    "versions differ. Start the projectors when it has ended; a folder is folded at once.\n\n"
    "Examples:\n  fanfold import follows.tsv.gz && fanfold wait\n"
    "  fanfold generate --users 100000 | fanfold import -\n"
    "  mysql -B -e 'SELECT fan, star, made FROM follow' | fanfold import --time iso8601 \\\n"
    "    --columns subject=fan,object=star,since=made -\n"
    "  fanfold import --posts posts.jsonl && fanfold wait\n"
    "  fanfold init --config new.toml && fanfold import --log log.jsonl --config new.toml\n";

}  // namespace fanfold
