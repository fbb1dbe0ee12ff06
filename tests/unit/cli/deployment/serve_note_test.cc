#include "cli/deployment/serve_note.h"

#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"

namespace fanfold {
namespace {

class ServeNoteTest : public ::testing::Test {
 protected:
  void Write(const std::string& text) const {
    std::ofstream(folder_.path() + "/serve.json") << text;
  }
  [[nodiscard]] std::optional<ServeNote> Find() const { return FindServing(folder_.path()); }

  const testing::TempFolder folder_;
};

TEST_F(ServeNoteTest, IsBelievedAsLongAsItsWriterLives) {
  Write("what a killed one left");
  {
    const ServeNoteFile file(folder_.path(), {7, "127.0.0.1", 8080});
    for (int look = 0; look < 2; ++look) {
      const auto note = Find();
      ASSERT_TRUE(note.has_value());
      EXPECT_EQ(note->pid, 7);
      EXPECT_EQ(note->host, "127.0.0.1");
      EXPECT_EQ(note->port, 8080);
    }
  }
  EXPECT_FALSE(Find().has_value());
}

TEST_F(ServeNoteTest, OfAKilledServeIsNotBelievedThoughAnotherServeHasItsPid) {
  int started[2];
  ASSERT_EQ(pipe2(started, O_CLOEXEC), 0);
  const pid_t another = fork();
  if (another == 0) {
    execl("/bin/sleep", "fanfold serve", "60", nullptr);
    _exit(1);
  }
  close(started[1]);
  char byte = 0;
  ASSERT_EQ(read(started[0], &byte, 1), 0);
  Write(fmt::format(R"({{"pid":{},"host":"127.0.0.1","port":8080}})", another));
  EXPECT_FALSE(Find().has_value());
  kill(another, SIGKILL);
  waitpid(another, nullptr, 0);
  close(started[0]);
}

TEST_F(ServeNoteTest, ThatAKilledProcessWroteIsNotBelieved) {
  int written[2];
  ASSERT_EQ(pipe(written), 0);
  const pid_t child = fork();
  if (child == 0) {
    const ServeNoteFile file(folder_.path(), {getpid(), "127.0.0.1", 8080});
    (void)!write(written[1], "x", 1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(written[0], &byte, 1), 1);
  EXPECT_TRUE(Find().has_value());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(Find().has_value());
  close(written[0]);
  close(written[1]);
}

// Whoever can open a file can hold a lock on it.
TEST_F(ServeNoteTest, ThatOthersCanOpenIsNotBelievedThoughItIsHeld) {
  Write(R"({"pid":7,"host":"127.0.0.1","port":8080})");
  const std::string path = folder_.path() + "/serve.json";
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  const int held = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
  EXPECT_FALSE(Find().has_value());
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_TRUE(Find().has_value());
  close(held);
}

TEST_F(ServeNoteTest, IsForItsOwnerAloneWhateverAKilledOneLeft) {
  const std::string path = folder_.path() + "/serve.json";
  std::ofstream(path + ".new") << "half of one";
  ASSERT_EQ(chmod((path + ".new").c_str(), 0666), 0);
  const ServeNoteFile file(folder_.path(), {7, "127.0.0.1", 8080});
  struct stat is{};
  ASSERT_EQ(stat(path.c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777, 0600U);
  EXPECT_TRUE(Find().has_value());
}

// Whoever owns the folder would be sent what root alone can read.
TEST_F(ServeNoteTest, ATokenThatIsALinkIsNotRead) {
  const ServeNoteFile file(folder_.path(), {7, "127.0.0.1", 8080, "its token"});
  EXPECT_EQ(Find()->token, "its token");
  const std::string token = folder_.path() + "/serve.token";
  std::ofstream(folder_.path() + "/shadow") << "root's";
  ASSERT_EQ(unlink(token.c_str()), 0);
  ASSERT_EQ(symlink("shadow", token.c_str()), 0);
  EXPECT_EQ(Find()->token, "");
}

TEST_F(ServeNoteTest, ThatIsALinkIsNotBelieved) {
  const testing::TempFolder other;
  const ServeNoteFile file(other.path(), {7, "127.0.0.1", 8080});
  ASSERT_EQ(
      symlink((other.path() + "/serve.json").c_str(), (folder_.path() + "/serve.json").c_str()), 0);
  EXPECT_FALSE(Find().has_value());
}

TEST_F(ServeNoteTest, ThatIsNotWholeIsNotBelieved) {
  for (const char* text : {"", "{", "[]", R"({"pid":1})", R"({"pid":"1","host":"h","port":1})"}) {
    const ServeNoteFile file(folder_.path(), {7, "127.0.0.1", 8080});
    Write(text);
    EXPECT_FALSE(Find().has_value()) << text;
  }
}

}  // namespace
}  // namespace fanfold
