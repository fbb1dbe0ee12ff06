#include "cli/console/verb_runs.h"

#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <pthread.h>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/console/line_file.h"
#include "cli/console/line_stream.h"
#include "cli/terminal/progress.h"

namespace fanfold::console {
namespace {

// The client of a streamed body.
class Client {
 public:
  http::Reply reply() {
    return http::Reply([this](http::Response response) { response_ = std::move(response); });
  }
  [[nodiscard]] const http::Response& response() const { return response_; }

  // The next part, or nothing where the body was cut.
  std::optional<http::BodyPart> Next() {
    auto given = std::make_shared<std::promise<std::optional<http::BodyPart>>>();
    response_.stream(http::PartSink(
        [given](std::optional<http::BodyPart> part) { given->set_value(std::move(part)); }));
    return given->get_future().get();
  }

  std::string Rest() {
    std::string all;
    for (;;) {
      const auto part = Next();
      if (!part) return all + "(cut)";
      all += part->bytes;
      if (part->last) return all;
    }
  }
  void Leave() { response_.stream = nullptr; }

 private:
  http::Response response_;
};

VerbRequest Status() { return *ParseVerbRequest(R"({"args":["status"]})", "ada"); }

TEST(VerbRuns, TellsLinesAsTheyCome) {
  VerbRuns runs([](const CommandLine&, fanfold::Console& console, operations::Interrupt&) {
    const bool json = true;
    console.PrintLine(R"({"a":"ä"})");
    console.Flush();
    console.Say("a note");
    TerminalProgress(console, json)
        .Show({.done = 1, .total = 2, .items = 3, .items_name = "rows", .elapsed_ms = 4});
    console.Print("no end of line");
    return ExitCode::kDifferent;
  });
  Client client;
  runs.Begin(Status(), {}, client.reply());
  EXPECT_EQ(client.response().content_type, "application/x-ndjson");
  EXPECT_EQ(client.Rest(),
            "{\"out\":\"{\\\"a\\\":\\\"ä\\\"}\"}\n{\"said\":\"a note\"}\n"
            "{\"progress\":{\"done\":1,\"elapsed_ms\":4,\"items\":3,\"items_name\":\"rows\","
            "\"total\":2}}\n"
            "{\"out\":\"no end of line\"}\n{\"exit\":2}\n");
}

TEST(VerbRuns, AClientThatLeavesInterruptsItsVerb) {
  std::promise<bool> stopped;
  VerbRuns runs([&](const CommandLine&, fanfold::Console& console, operations::Interrupt& wish) {
    console.PrintLine("begun");
    console.Flush();
    stopped.set_value(wish.WaitFor(60'000));
    console.PrintLine("nobody hears it");
    return console.Ended(ExitCode::kError);
  });
  Client client;
  runs.Begin(Status(), {}, client.reply());
  EXPECT_EQ(client.Next()->bytes, "{\"out\":\"begun\"}\n");
  client.Leave();
  EXPECT_TRUE(stopped.get_future().get());
}

TEST(VerbRuns, SoManyAtOnceAndNoneAfterItRetired) {
  VerbRuns runs([](const CommandLine&, fanfold::Console&, operations::Interrupt& wish) {
    return wish.WaitFor(60'000) ? ExitCode::kError : ExitCode::kFine;
  });
  std::vector<Client> clients(VerbRuns::kAtOnceMax);
  for (Client& client : clients) runs.Begin(Status(), {}, client.reply());
  Client one_more;
  runs.Begin(Status(), {}, one_more.reply());
  EXPECT_EQ(one_more.response().status, 503);
  runs.Retire();
  for (Client& client : clients) EXPECT_EQ(client.Rest(), "{\"exit\":1}\n");
  runs.Begin(Status(), {}, one_more.reply());
  EXPECT_EQ(one_more.response().status, 503);
}

// No thread can be started.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t wanted;
    pthread_attr_init(&wanted);
    pthread_attr_setstacksize(&wanted, std::size_t{1} << 50);  // more than can be addressed
    pthread_setattr_default_np(&wanted);
    pthread_attr_destroy(&wanted);
  }
  ~NoMoreThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

TEST(VerbRuns, OneWhoseThreadCannotBeStartedTakesNoPlace) {
  VerbRuns runs([](const CommandLine&, fanfold::Console&, operations::Interrupt&) {
    return ExitCode::kFine;
  });
  Client client;
  {
    const NoMoreThreads none;
    for (std::size_t i = 0; i < VerbRuns::kAtOnceMax; ++i) {
      EXPECT_THROW(runs.Begin(Status(), {}, client.reply()), std::system_error);
    }
  }
  runs.Begin(Status(), {}, client.reply());
  EXPECT_EQ(client.Rest(), "{\"exit\":0}\n");
}

TEST(VerbRuns, ALineThatIsTooLongIsAnError) {
  VerbRuns runs([](const CommandLine&, fanfold::Console& console, operations::Interrupt&) {
    console.PrintLine(std::string(LineFile::kLineBytesMax + 1, 'x'));
    return ExitCode::kFine;
  });
  Client client;
  runs.Begin(Status(), {}, client.reply());
  const std::string told = client.Rest();
  EXPECT_NE(told.find("cannot write the answer: Message too long"), std::string::npos) << told;
  EXPECT_TRUE(told.ends_with("{\"exit\":1}\n"));
}

TEST(LineStream, WhoeverWritesWaitsForWhoeverReads) {
  const auto stream = LineStream::Make([] {});
  http::BodySource source = stream->Source();
  const std::string line(LineStream::kWaitingBytesMax, 'x');
  std::promise<void> first;
  std::atomic<int> written = 0;
  std::jthread writer([&] {
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(stream->Push(line));
      if (++written == 1) first.set_value();
    }
    stream->End();
  });
  first.get_future().wait();
  EXPECT_EQ(written.load(), 1);
  std::size_t bytes = 0;
  for (bool last = false; !last;) {
    std::promise<http::BodyPart> part;
    source(http::PartSink([&](std::optional<http::BodyPart> given) {
      if (given) part.set_value(*std::move(given));
    }));
    const http::BodyPart got = part.get_future().get();
    bytes += got.bytes.size();
    last = got.last;
  }
  EXPECT_EQ(bytes, 3 * (line.size() + 1));
}

TEST(LineStream, WhoeverLeavesEndsTheWait) {
  bool left = false;
  const auto stream = LineStream::Make([&left] { left = true; });
  http::BodySource source = stream->Source();
  EXPECT_TRUE(stream->Push(std::string(LineStream::kWaitingBytesMax, 'x')));
  auto second = std::async(std::launch::async, [&] { return stream->Push("y"); });
  source = nullptr;
  EXPECT_FALSE(second.get());
  EXPECT_TRUE(left);
}

}  // namespace
}  // namespace fanfold::console
