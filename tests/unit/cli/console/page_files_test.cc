#include "cli/console/page_files.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <string>

#include "cli/console/page_texts.h"

namespace fanfold::console {
namespace {

std::string HeaderOf(const http::Response& response, std::string_view name) {
  const auto header = std::ranges::find(response.headers, name, &http::Header::first);
  return header == response.headers.end() ? "" : header->second;
}

TEST(PageFiles, AreToldWithTheirTypesAndNothingFromElsewhere) {
  const std::map<std::string, std::string> types = {{"html", "text/html; charset=utf-8"},
                                                    {"js", "text/javascript; charset=utf-8"},
                                                    {"css", "text/css; charset=utf-8"},
                                                    {"svg", "image/svg+xml"}};
  ASSERT_GE(PageTexts().size(), 5U);
  for (const EmbeddedText& text : PageTexts()) {
    const auto file = PageFile(text.name);
    ASSERT_TRUE(file) << text.name;
    const std::string ending(text.name.substr(text.name.rfind('.') + 1));
    EXPECT_EQ(file->content_type, types.at(ending)) << text.name;
    EXPECT_TRUE(HeaderOf(*file, "Content-Security-Policy").starts_with("default-src 'none';"));
    EXPECT_EQ(HeaderOf(*file, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(HeaderOf(*file, "Cache-Control"), "no-cache");
  }
}

TEST(PageFiles, OthersAreNone) {
  for (const char* name : {"", "index", "../index.html", "page/index.html", "INDEX.HTML"}) {
    EXPECT_FALSE(PageFile(name)) << name;
  }
}

// What the policy would refuse, and what would make markup of data.
TEST(PageFiles, HaveNothingInlineOrExternal) {
  const std::regex wrong(
      R"(innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|)"
      R"((src|href)="(https?:)?//|@import|url\([^#])");
  const std::regex inline_ones(R"(<script>|<style|\sstyle="|\son[a-z]+=")");
  for (const EmbeddedText& text : PageTexts()) {
    const std::string content(text.text);
    EXPECT_FALSE(std::regex_search(content, inline_ones)) << text.name;
    EXPECT_FALSE(std::regex_search(content, wrong)) << text.name;
  }
}

TEST(PageFiles, AreShort) {
  for (const EmbeddedText& text : PageTexts()) {
    EXPECT_LE(std::ranges::count(text.text, '\n'), 300) << text.name;
  }
}

}  // namespace
}  // namespace fanfold::console
