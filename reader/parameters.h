// The parameters of a read, taken one after the other. Each refusal is a 400 that names the
// parameter and what it must be: invalid_argument, invalid_cursor, unknown_parameter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/http/problem.h"
#include "common/http/router.h"
#include "reader/expansion.h"
#include "reader/queries.h"

namespace fanfold::reader {

using ParsedRead = std::expected<ReadRequest, http::Response>;

// Remembers the first refusal; what is returned after one is of no meaning, since Finish answers
// with it.
class Parameters {
 public:
  // `routed` outlives this. Others than those known are refused.
  Parameters(const http::Routed& routed, std::initializer_list<std::string_view> known);

  [[nodiscard]] UserId PathUser();
  [[nodiscard]] UserId PathOther();  // the second
  [[nodiscard]] UserId User(std::string_view name);
  [[nodiscard]] std::optional<UserId> OptionalUser(std::string_view name);
  // 1 … users_max, joined with commas.
  [[nodiscard]] std::vector<UserId> Users(std::string_view name, std::size_t users_max);
  // 1 … users_max of the body's `to`.
  [[nodiscard]] std::vector<UserId> BodyUsers(std::size_t users_max);
  [[nodiscard]] std::size_t Limit();
  [[nodiscard]] std::optional<Cursor> After();
  [[nodiscard]] PageStart StartWithOffset();
  void Expand(const Expansions& expansions);
  // Whether it is there; it may be this word alone.
  [[nodiscard]] bool Word(std::string_view name, std::string_view word);

  // The cursor as decode(text) reads it; nothing where there is none.
  template <class Decode>
  [[nodiscard]] auto CursorBy(const Decode& decode, std::string_view name = "cursor")
      -> decltype(decode(std::string_view())) {
    const std::optional<std::string_view> text = routed_.query.Get(name);
    if (!text) return std::nullopt;
    auto cursor = decode(*text);
    if (!cursor) RefuseCursor(name);
    return cursor;
  }
  void Refuse(std::string_view detail,
              const http::ProblemKind& kind = http::problems::kInvalidArgument);
  [[nodiscard]] bool ok() const { return !refusal_; }

  // With min_position, generation and timeout_ms.
  [[nodiscard]] ParsedRead Finish(ReadQuery query);

 private:
  void RefuseCursor(std::string_view name);
  // The parameter's text; refused where it is not there.
  std::string_view Present(std::string_view name);
  UserId Required(std::optional<UserId> user, std::string_view name);
  std::int64_t Number(std::string_view name, std::int64_t lowest, std::int64_t highest,
                      std::int64_t otherwise);
  void AddPositions(std::string_view name, std::optional<std::string_view> text,
                    std::vector<StreamPosition>& to);

  const http::Routed& routed_;
  const Expansion* expansion_ = nullptr;
  std::optional<http::Response> refusal_;
};

}  // namespace fanfold::reader
