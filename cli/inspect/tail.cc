#include "cli/inspect/tail.h"

#include "cli/inspect/record_text.h"

namespace fanfold {

ExitCode RunTail(Session& session, const operations::TailOptions& options) {
  const Topic topic = options.topic;
  const auto print = [&](const LogRecord& record, std::int32_t partitions, bool batch_ends) {
    const auto line = session.json ? RecordJson(topic, record, partitions)
                                   : RecordText(topic, record, partitions);
    // False when nobody reads any more.
    return session.console.PrintLine(line) && (!batch_ends || session.console.Flush());
  };
  const Status done = operations::Tail(session, options, print);
  return done ? ExitCode::kFine : session.console.SayError(done.error());
}

}  // namespace fanfold
