// Lines of a file to import: what is taken is an event that the projector takes.
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/relation/codec.h"
#include "common/relation/edge.h"
#include "operations/log/import_line.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {

const FuzzTarget kImportLines("import_lines", [](std::string_view input) {
  using namespace operations;
  (void)IsSkippedLine(input);
  const ImportFormat own = FormatOf(input);
  std::vector<std::string> fields;
  const bool is_csv = SplitCsv(input, DelimiterOf(input), fields);
  for (const ImportFormat format : {ImportFormat::kTsv, ImportFormat::kJsonl, ImportFormat::kCsv}) {
    if (format == ImportFormat::kCsv && !is_csv) continue;
    const ParsedLine line = format == ImportFormat::kTsv     ? ParseTsvLine(input)
                            : format == ImportFormat::kJsonl ? ParseJsonLine(input)
                                                             : ParseCsvFields(fields, {}, {});
    if (!line) {
      FANFOLD_CHECK(line.error().size() < 256, line.error());
      continue;
    }
    const bool is_own = format == own || format == ImportFormat::kCsv;  // tabs, too
    FANFOLD_CHECK(is_own && !RefuseAtOnce(line->subject, line->object), input);
    const Event event{
        "id", line->type, line->subject, line->object, line->at_ms.value_or(0), line->by, {},
        {},   {}};
    const std::string record = EncodeEvent(event);
    const auto read = DecodeEvent(record);
    FANFOLD_CHECK(read && *read == event, record);
  }
});

}  // namespace fanfold
