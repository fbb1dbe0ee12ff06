#include "common/config/reference.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "common/config/config_file.h"

namespace fanfold {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const char* NoVariable(const char* /*name*/) { return nullptr; }

std::vector<fs::path> Examples() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator("deploy/config")) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  return files;
}

TEST(ConfigurationPage, IsTheOneInTheTree) {
  EXPECT_EQ(TextOf("docs/CONFIGURATION.md"), ConfigurationPage())
      << "build/release/bin/fanfold config reference > docs/CONFIGURATION.md";
}

TEST(ConfigurationPage, ExamplesAreAsTheyMustBe) {
  for (const fs::path& example : Examples()) {
    const auto loaded = Configure({.file = example.string(), .environment = NoVariable});
    EXPECT_TRUE(loaded) << loaded.error().message;
  }
  EXPECT_EQ(Examples().size(), 3U);
}

// What is printed is a file that says the same.
TEST(ConfigAsToml, IsReadAsWhatItWasMadeOf) {
  const fs::path made = fs::path(::testing::TempDir()) / "fanfold_reference_test.toml";
  for (const fs::path& example : Examples()) {
    const auto first = Configure({.file = example.string(), .environment = NoVariable});
    ASSERT_TRUE(first);
    const std::string printed = ConfigAsToml(first->values);
    std::ofstream(made) << printed;
    const auto second = Configure({.file = made.string(), .environment = NoVariable});
    ASSERT_TRUE(second) << second.error().message << "\n" << printed;
    for (std::size_t i = 0; i < first->values.size(); ++i) {
      EXPECT_EQ(second->values[i].value, first->values[i].value) << first->values[i].setting->key;
    }
  }
  fs::remove(made);
}

// JSON lets DEL stand in a string as it is, TOML does not.
TEST(ConfigAsToml, EveryCharacterComesBack) {
  std::string text = "é";
  for (char c = 1; c > 0 && c < 0x7f; ++c) text += c;
  text += '\x7f';
  for (const ConfigValue& value : {ConfigValue(text), ConfigValue(std::vector{text, text})}) {
    const Result<ConfigText> read = ParseConfigText("key = " + TomlOf(value));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->entries.at(0).value, value);
  }
}

}  // namespace
}  // namespace fanfold
