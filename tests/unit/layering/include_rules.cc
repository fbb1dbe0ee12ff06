#include "tests/unit/layering/include_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>

namespace fanfold::layering {
namespace {

constexpr std::string_view kCommon = "common/";

// Files below `folder`, or that file, may include what begins with one of `may`. The first rule
// that fits counts, so narrower ones stand first.
struct FolderRule {
  std::string_view folder;
  std::array<std::string_view, 12> may;
};

constexpr std::string_view kBase = "common/base/";
constexpr std::string_view kStream = "common/stream/";
constexpr std::string_view kRelation = "common/relation/";
constexpr std::string_view kProfile = "common/profile/";
constexpr std::string_view kPost = "common/post/";
constexpr std::string_view kFeed = "common/feed/";
constexpr std::string_view kPorts = "common/ports/";
constexpr std::string_view kSql = "common/sql/";
constexpr std::string_view kAccess = "common/access/";
constexpr std::string_view kHttp = "common/http/";
constexpr std::string_view kRuntime = "projector/runtime/";
constexpr std::string_view kAccounts = "projector/accounts/";

constexpr FolderRule kFolderRules[] = {
    {"common/base/", {kBase}},
    {"common/stream/", {kBase, kStream}},
    {"common/config/", {kBase, kStream, "common/config/"}},
    {"common/relation/", {kBase, kStream, kRelation}},
    {"common/profile/", {kBase, kStream, kProfile}},
    {"common/post/", {kBase, kStream, kPost}},
    {"common/feed/", {kBase, kStream, kFeed}},
    {"common/ports/", {kBase, kStream, kRelation, kProfile, kPost, kFeed, kPorts}},
    {"common/access/", {kBase, kStream, kAccess}},
    {"common/http/", {kBase, kStream, kAccess, kHttp}},
    {"common/service/", {kBase, kAccess, kHttp, "common/config/", "common/service/"}},
    {"common/kafka/", {kBase, kStream, kPorts, "common/kafka/"}},
    {"common/sql/", {kBase, kStream, kRelation, kPorts, kSql}},
    {"common/mysql/", {kBase, kStream, kRelation, kPorts, kSql, "common/mysql/"}},
    {"common/sqlite/", {kBase, kStream, kRelation, kPorts, kSql, "common/sqlite/"}},
    {"writer/main.cc", {kCommon, "writer/"}},
    {"projector/main.cc", {kCommon, "projector/"}},
    {"reader/main.cc", {kCommon, "reader/"}},
    {"writer/", {kBase, kStream, kRelation, kProfile, kPost, kFeed, kPorts, kHttp, "writer/"}},
    {"reader/tables/", {kBase, kStream, kRelation, kPorts, "reader/tables/"}},
    {"reader/cache/", {kBase, kStream, kRelation, kPorts, "reader/tables/", "reader/cache/"}},
    {"reader/freshness/",
     {kBase, kStream, kRelation, kPorts, "reader/tables/", "reader/cache/", "reader/freshness/"}},
    {"reader/feed/feed_reader.", {kBase, kStream, kPost, "reader/feed/"}},
    {"reader/feed/post_tables.", {kBase, kStream, kPost, kPorts, "reader/tables/", "reader/feed/"}},
    {"reader/feed/feed_questions.", {kBase, kStream, kPost, kPorts, "reader/"}},
    {"reader/feed/feed_tenant.", {kBase, kStream, kPost, kPorts, "reader/"}},
    {"reader/feed/history_page.", {kBase, kStream, kPorts, "reader/"}},
    {"reader/feed/shown_posts.", {kBase, kStream, kPorts, "reader/tables/", "reader/feed/"}},
    {"reader/feed/post_feed.",
     {kBase, kStream, kPost, kPorts, "reader/freshness/", "reader/feed/"}},
    {"reader/feed/live_posts.", {kBase, kStream, kPost, kPorts, "reader/cache/", "reader/feed/"}},
    // Pure.
    {"reader/feed/", {kBase, kStream, kPost, "reader/feed/"}},
    {"reader/profiles/", {kBase, kStream, kProfile, kPorts, "reader/"}},
    {"reader/posts/", {kBase, kStream, kPost, kPorts, "reader/"}},
    {"reader/changes/change_routes.", {kBase, kStream, kPorts, kHttp, "reader/"}},
    {"reader/changes/",
     {kBase, kStream, kRelation, kProfile, kPost, kPorts, "common/access/principal.h",
      "common/http/body_source.h", "reader/tables/", "reader/cache/", "reader/freshness/",
      "reader/changes/"}},
    {"reader/", {kBase, kStream, kRelation, kPorts, kHttp, "reader/"}},
    {"projector/folds.", {kBase, kStream, kRelation, kFeed, kPorts, kRuntime, "projector/"}},
    // Whatever the rows are.
    {"projector/runtime/",
     {kBase, kStream, "common/ports/event_log.h", "common/ports/applied_reader.h",
      "common/ports/outcome_cut.h", "common/ports/lane", "common/ports/partition_ownership.h",
      "common/ports/halt_reason.h", "common/ports/projection.h", "common/ports/record_marks.h",
      kRuntime}},
    {"projector/accounts/", {kBase, kStream, kPorts, kAccounts}},
    {"projector/relations/",
     {kBase, kStream, kRelation, kPorts, kRuntime, kAccounts, "projector/relations/"}},
    // Ending an account ends its relations.
    {"projector/profiles/",
     {kBase, kStream, kProfile, kRelation, kPost, kFeed, kPorts, kRuntime, kAccounts,
      "projector/profiles/"}},
    // What becomes of posts is delivered.
    {"projector/feed/", {kBase, kStream, kPost, kFeed, kPorts, kRuntime, "projector/feed/"}},
    {"projector/posts/", {kBase, kStream, kPost, kPorts, kRuntime, kAccounts, "projector/posts/"}},
    {"projector/rebuild/", {kBase, kStream, kRelation, kPorts, kRuntime, "projector/rebuild/"}},
    {"projector/audit/",
     {kBase, kStream, kRelation, kPost, kFeed, kPorts, kRuntime, "projector/audit/"}},
    {"projector/", {kBase, kStream, kRelation, kPorts, kHttp, kRuntime}},
    // What events of each stream tell of positions.
    {"operations/log/afresh.", {kBase, kStream, kRelation, kProfile, "operations/"}},
    {"operations/log/deletion_ends.", {kBase, kStream, kProfile, "operations/"}},
    // Posts and profiles are imported, too.
    {"operations/log/",
     {kBase, kStream, kRelation, kProfile, kPost, kPorts, "projector/", "operations/"}},
    {"operations/erase/",
     {kBase, kStream, kRelation, kProfile, kPost, kFeed, kPorts, "operations/"}},
    {"operations/explain/", {kBase, kStream, kRelation, kPost, kPorts, "operations/"}},
    {"operations/",
     {kBase, kStream, kRelation, kPorts, "projector/", "reader/leave_time.h", "operations/"}},
    // Knows verbs, and no adapter: what it runs is put in.
    {"cli/console/",
     {kBase, kAccess, kHttp, "operations/base/", "cli/command_line/", "cli/terminal/",
      "cli/console/"}},
    {"cli/", {kCommon, "writer/", "projector/", "reader/", "operations/", "cli/"}},
    {"bench/", {kCommon, "writer/", "projector/", "reader/", "operations/", "bench/"}},
    {"tests/", {""}},
};

// A library that one folder alone may include; benchmarks and tests compare themselves with all.
struct LibraryRule {
  std::string_view prefix;
  std::string_view folder;
};

constexpr LibraryRule kLibraryRules[] = {
    {"librdkafka/", "common/kafka/"},
    {"cppconn/", "common/mysql/"},
    {"mysql", "common/mysql/"},
    {"mariadb", "common/mysql/"},
    {"sqlite3", "common/sqlite/"},
    {"boost/", kHttp},
    {"cjose/", kAccess},
    {"openssl/ssl", kHttp},
};

// Their headers may include what the folder alone may; Leaks finds those that get out.
constexpr std::string_view kLibraryFolders[] = {"common/kafka/", "common/mysql/", "common/sqlite/",
                                                kHttp};
constexpr std::string_view kComparing[] = {"bench/", "tests/"};
constexpr std::string_view kOwnFolders[] = {"common/",     "writer/", "projector/", "reader/",
                                            "operations/", "cli/",    "bench/",     "tests/"};
constexpr std::string_view kSystemHeaders[] = {"sys/",     "unistd.h",  "netinet/",
                                               "signal.h", "pthread.h", "fcntl.h"};

bool StartsWithAny(std::string_view text, std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return text.starts_with(prefix); });
}

struct Include {
  std::string_view path;
  bool quoted = false;
};

std::optional<Include> ParseInclude(std::string_view line) {
  const auto skip_spaces = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  for (const std::string_view word : {"#", "include"}) {
    skip_spaces();
    if (!line.starts_with(word)) return std::nullopt;
    line.remove_prefix(word.size());
  }
  skip_spaces();
  const bool quoted = line.starts_with('"');
  if (!quoted && !line.starts_with('<')) return std::nullopt;
  line.remove_prefix(1);
  return Include{line.substr(0, line.find(quoted ? '"' : '>')), quoted};
}

// Of one of our own headers.
std::string_view WrongOwn(std::string_view path, const Include& include) {
  if (!include.quoted) return "our own headers stand in quotes";
  for (const FolderRule& rule : kFolderRules) {
    if (!path.starts_with(rule.folder)) continue;
    const bool allowed = std::ranges::any_of(rule.may, [&](std::string_view may) {
      return may.data() != nullptr && include.path.starts_with(may);
    });
    return allowed ? "" : "the dependency points the wrong way";
  }
  return "no rule knows this folder";
}

// Of a header of a library or the system.
std::string_view WrongForeign(std::string_view path, const Include& include) {
  if (StartsWithAny(path, kComparing)) return "";
  for (const LibraryRule& rule : kLibraryRules) {
    if (include.path.starts_with(rule.prefix) && !path.starts_with(rule.folder)) {
      return "another folder alone may include this library";
    }
  }
  const bool is_header = path.ends_with(".h") && !StartsWithAny(path, kLibraryFolders);
  const bool standard = include.path.find_first_of("./") == std::string_view::npos;
  if (is_header && !standard && !StartsWithAny(include.path, kSystemHeaders)) {
    return "third parties stay out of headers";
  }
  return "";
}

std::string_view WhatIsWrong(std::string_view path, const Include& include) {
  if (include.path.find("..") != std::string_view::npos) return "includes do not climb";
  if (StartsWithAny(include.path, kOwnFolders)) return WrongOwn(path, include);
  if (include.quoted) return "includes are rooted at the repository";
  return WrongForeign(path, include);
}

std::vector<Include> IncludesOf(std::string_view text) {
  std::vector<Include> includes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    if (const auto include = ParseInclude(text.substr(0, end + 1))) includes.push_back(*include);
    text.remove_prefix(end + 1);
  }
  return includes;
}

// All of our headers that the file sees, itself first.
std::set<std::string> SeenBy(const std::string& path,
                             const std::map<std::string, std::string>& tree) {
  std::set<std::string> seen;
  std::vector<std::string> open = {path};
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    const auto file = tree.find(next);
    if (file == tree.end() || !seen.insert(next).second) continue;
    for (const Include& include : IncludesOf(file->second)) open.emplace_back(include.path);
  }
  return seen;
}

}  // namespace

std::vector<std::string> Violations(std::string_view path, std::string_view text) {
  std::vector<std::string> violations;
  for (const Include& include : IncludesOf(text)) {
    const std::string_view wrong = WhatIsWrong(path, include);
    if (wrong.empty()) continue;
    violations.push_back(std::string(path) + " includes " + std::string(include.path) + ": " +
                         std::string(wrong));
  }
  return violations;
}

std::vector<std::string> Leaks(const std::map<std::string, std::string>& tree) {
  std::vector<std::string> leaks;
  for (const auto& [path, text] : tree) {
    if (StartsWithAny(path, kComparing)) continue;
    for (const std::string& header : SeenBy(path, tree)) {
      for (const Include& include : IncludesOf(tree.at(header))) {
        for (const LibraryRule& rule : kLibraryRules) {
          if (!include.path.starts_with(rule.prefix) || path.starts_with(rule.folder)) continue;
          leaks.push_back(path + " sees " + std::string(include.path) + " through " + header);
        }
      }
    }
  }
  return leaks;
}

}  // namespace fanfold::layering
