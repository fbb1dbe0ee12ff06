#include "cli/console/page_files.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "cli/console/page_texts.h"

namespace fanfold::console {
namespace {

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes = {{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
}};

std::string_view TypeOf(std::string_view name) {
  const auto* type = std::ranges::find_if(
      kTypes, [name](const auto& known) { return name.ends_with(known.first); });
  return type == kTypes.end() ? "application/octet-stream" : type->second;
}

}  // namespace

std::optional<http::Response> PageFile(std::string_view name) {
  const auto texts = PageTexts();
  const auto text = std::ranges::find(texts, name, &EmbeddedText::name);
  if (text == texts.end()) return std::nullopt;
  http::Response response;
  response.content_type = TypeOf(name);
  response.headers = {{"Content-Security-Policy", std::string(kPolicy)},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"}};
  response.body = std::string(text->text);
  return response;
}

}  // namespace fanfold::console
