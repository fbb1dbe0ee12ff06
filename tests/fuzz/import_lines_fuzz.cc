// Lines of a file to import: what is taken is an event that the projector takes.
#include <string>

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
  for (const ImportFormat format : {ImportFormat::kTsv, ImportFormat::kJsonl}) {
    const auto line = ParseImportLine(format, input);
    if (!line) {
      FANFOLD_CHECK(line.error().size() < 256, line.error());
      continue;
    }
    FANFOLD_CHECK(format == own && !RefuseAtOnce(line->subject, line->object), input);
    const Event event{
        "id", line->type, line->subject, line->object, line->at_ms.value_or(0), line->by, {},
        {},   {}};
    const std::string record = EncodeEvent(event);
    const auto read = DecodeEvent(record);
    FANFOLD_CHECK(read && *read == event, record);
  }
});

}  // namespace fanfold
