// Those who write: what they ask of the writer, what they were answered, and what foreign producers
// put into the topic beside it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "tests/simulation/ground.h"
#include "tests/simulation/processes.h"
#include "writer/command.h"

namespace fanfold::simulation {

class Clients {
 public:
  // `ground` outlives it.
  explicit Clients(Ground& ground);

  // One request: a single command, waited for or not, a batch, or one that was answered 503 before.
  void Ask(writer::CommandService& service);
  // Bytes in the event topic that no writer of ours put there.
  void PutForeign();
  // Puts a user's profile, or the end of an account, or bytes that are neither.
  void PutUserEvent();
  // That ends somebody's account as far as the logs reach now.
  void PutDeletion();
  // A post, the end of one, or bytes that are neither.
  void PutPostEvent();
  // A post that was shown, a look, the end of either, or bytes that are neither.
  void PutFeedEvent();

  // A command that the writer said is in the log.
  struct Taken {
    writer::Command command;
    writer::Logged logged;
    std::optional<OutcomeKind> told;  // the outcome, where one was told
  };
  [[nodiscard]] const std::vector<Taken>& taken() const { return taken_; }
  // How many users have been spoken of.
  [[nodiscard]] std::size_t users() const { return users_.size(); }
  // What was asked last: some of it is still on its way, some is asked again soon.
  [[nodiscard]] const std::deque<writer::Command>& recent() const { return recent_; }

 private:
  [[nodiscard]] UserId AnyUser();
  void PutOf(UserId user, const std::string& value);
  [[nodiscard]] Event AnyForeignEvent();
  [[nodiscard]] writer::Command AnyCommand();
  void Submit(writer::CommandService& service, const writer::Command& command);
  void SubmitBatch(writer::CommandService& service);
  void Answered(const writer::Command& command, const writer::Answer& answer);
  void Put(Partition partition, std::string_view key, std::string_view value);

  Ground& ground_;
  std::vector<Taken> taken_;
  std::deque<writer::Command> to_ask_again_;
  std::deque<writer::Command> recent_;
  std::set<UserId> users_;
  std::unique_ptr<LogAppender> foreign_;
  std::unique_ptr<LogAppender> user_events_;
  std::unique_ptr<LogAppender> post_events_;
  std::unique_ptr<LogAppender> feed_events_;
};

}  // namespace fanfold::simulation
