#include "operations/log/csv.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace fanfold::operations {
namespace {

using Fields = std::vector<std::string>;

std::optional<Fields> Split(std::string_view line, char delimiter = ',') {
  Fields fields = {"of", "the", "line", "before"};
  return SplitCsv(line, delimiter, fields) ? std::optional(fields) : std::nullopt;
}

TEST(Csv, FieldsAreWhatStandsBetweenDelimiters) {
  EXPECT_EQ(Split("1,2"), (Fields{"1", "2"}));
  EXPECT_EQ(Split(" 1 , 2\t"), (Fields{"1", "2"}));
  EXPECT_EQ(Split("1,,"), (Fields{"1", "", ""}));
  EXPECT_EQ(Split(""), Fields{""});
  EXPECT_EQ(Split("1\t2 3", '\t'), (Fields{"1", "2 3"}));
}

TEST(Csv, QuotesKeepWhatIsBetweenThem) {
  EXPECT_EQ(Split(R"("1","2")"), (Fields{"1", "2"}));
  EXPECT_EQ(Split(R"("a,b" , " c ",d)"), (Fields{"a,b", " c ", "d"}));
  EXPECT_EQ(Split(R"("say ""no""","")"), (Fields{R"(say "no")", ""}));
  EXPECT_EQ(Split("\"two\nlines\",2"), (Fields{"two\nlines", "2"}));
  EXPECT_EQ(Split(R"(a"b,c)"), (Fields{R"(a"b)", "c"}));
}

TEST(Csv, QuotesThatAreNotClosedOrNotAtTheEndAreRefused) {
  for (const char* line : {"\"", "\"1,2", "1,\"2", R"("1"2,3)", R"("a"" ,b)"}) {
    EXPECT_EQ(Split(line), std::nullopt) << line;
  }
}

TEST(Csv, BetweenTabsQuotesAreTextButAroundAField) {
  EXPECT_EQ(Split("\"1\"\t5\" a\t\"b", '\t'), (Fields{"1", "5\" a", "\"b"}));
}

// Quotes that are open, or wrong, are so for both.
TEST(Csv, QuotesAreFollowedAsTheyAreSplit) {
  for (std::string_view text :
       {"", "1,2", "\"1\",2", "\"1", "1,\"2", "\"1\" ,2", "\"1\"2,3", "\"a\"\" ,b", "a\"b,c",
        " \"a", "\t\"a", "\"a\"\"", "\"a\",\"", "\"\"", "\"\"\"", "\"a\"\t,\"b\""}) {
    CsvQuotes quotes(',');
    quotes.Pass(text);
    EXPECT_EQ(Split(text).has_value(), !quotes.are_open() && !quotes.are_wrong()) << text;
  }
}

TEST(Csv, TheFirstDelimiterOutsideQuotesIsTheFiles) {
  EXPECT_EQ(DelimiterOf("a,b;c"), ',');
  EXPECT_EQ(DelimiterOf("\"a,b\";c"), ';');
  EXPECT_EQ(DelimiterOf("a b\tc"), '\t');
  EXPECT_EQ(DelimiterOf("a"), ',');
}

TEST(Columns, AreReadInAnyOrder) {
  EXPECT_EQ(ParseColumns("subject=a,object=b"), (CsvColumns{"a", "b", std::nullopt}));
  EXPECT_EQ(ParseColumns("since=c, object = b ,subject=a"), (CsvColumns{"a", "b", "c"}));
  EXPECT_EQ(ParseColumns("subject=2,object=1"), (CsvColumns{"2", "1", std::nullopt}));
}

TEST(Columns, OthersAreRefused) {
  for (const char* text :
       {"", "a,b", "subject=a", "object=b", "subject=a,object=", "subject=a,object=b,",
        "subject=a,object=b,at=c", "subject=a,subject=b,object=c", "subject=1,object=b",
        "subject=0,object=1", "subject=a,object=b,since=3"}) {
    EXPECT_FALSE(ParseColumns(text)) << text;
  }
}

TEST(Columns, AreFoundInTheHeader) {
  const CsvColumns columns{"fan", "star", "made"};
  EXPECT_EQ(PlacesOf(columns, {"id", "made", "star", "fan"}), (CsvPlaces{3, 2, 1, true}));
  EXPECT_EQ(PlacesOf(CsvColumns{"fan", "star", std::nullopt}, {"star", "fan"}),
            (CsvPlaces{1, 0, std::nullopt, true}));
  for (const Fields& wrong :
       {Fields{"star", "made"}, Fields{"fan", "star"}, Fields{"fan", "star", "made", "star"}}) {
    EXPECT_FALSE(PlacesOf(columns, wrong));
  }
}

TEST(Columns, PlacesNeedNoHeader) {
  EXPECT_EQ(PlacesOf(CsvColumns{"3", "1", "2"}, {"x"}), (CsvPlaces{2, 0, 1, false}));
  EXPECT_EQ(PlacesOf(CsvColumns{"3", "1", std::nullopt}, {"x"}),
            (CsvPlaces{2, 0, std::nullopt, false}));
}

TEST(Columns, WithoutAWordTheFirstLineSays) {
  EXPECT_EQ(PlacesOf({}, {"1", "2"}), (CsvPlaces{0, 1, std::nullopt, false}));
  EXPECT_EQ(PlacesOf({}, {"1", "2", "5"}), (CsvPlaces{0, 1, 2, false}));
  EXPECT_EQ(PlacesOf({}, {"since", "object", "subject"}), (CsvPlaces{2, 1, 0, true}));
  EXPECT_EQ(PlacesOf({}, {"object", "subject"}), (CsvPlaces{1, 0, std::nullopt, true}));
  const auto unknown = PlacesOf({}, {"Account address", "Show boosts"});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().find("no column subject, but Account address, Show boosts"),
            std::string::npos)
      << unknown.error();
  EXPECT_NE(unknown.error().find("--columns"), std::string::npos);
}

}  // namespace
}  // namespace fanfold::operations
