// The whole tree against the rules. Tests run in the repository's root.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <string>

#include "tests/unit/layering/include_rules.h"
#include "tests/unit/layering/text_rules.h"

namespace fanfold::layering {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Every source and header of the repository, path → text.
std::map<std::string, std::string> ReadTree() {
  std::map<std::string, std::string> tree;
  for (const char* top :
       {"common", "writer", "projector", "reader", "operations", "cli", "bench", "tests"}) {
    EXPECT_TRUE(fs::is_directory(top)) << top;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top)) {
      const fs::path& path = entry.path();
      const bool is_code = path.extension() == ".h" || path.extension() == ".cc";
      if (is_code) tree[path.generic_string()] = TextOf(path);
    }
  }
  constexpr std::size_t kFilesMin = 40;  // fewer: the scan looked in the wrong place
  EXPECT_GT(tree.size(), kFilesMin);
  return tree;
}

TEST(Layering, DependenciesPointOneWay) {
  for (const auto& [path, text] : ReadTree()) {
    for (const std::string& violation : Violations(path, text)) ADD_FAILURE() << violation;
  }
}

TEST(Layering, OnlyATerminalPrints) {
  for (const auto& [path, text] : ReadTree()) {
    for (const std::string& line : Prints(path, text)) ADD_FAILURE() << line;
  }
}

TEST(Layering, FilesAreShort) {
  for (const auto& [path, text] : ReadTree()) {
    const std::string why = TooLong(path, text);
    EXPECT_TRUE(why.empty()) << why;
  }
}

TEST(Layering, LibrariesStayBehindTheirFolders) {
  for (const std::string& leak : Leaks(ReadTree())) ADD_FAILURE() << leak;
}

}  // namespace
}  // namespace fanfold::layering
