// A body that is made while it is sent.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace fanfold::http {

struct BodyPart {
  std::string bytes;
  bool last = false;
};

// Takes one part, once, from any thread; a later call does nothing. Dropped without one the
// connection is cut, so that the client never takes what it has for the whole. Cheap to copy.
class PartSink {
 public:
  using Taker = std::function<void(std::optional<BodyPart>)>;  // nothing: there will be none
  explicit PartSink(Taker taker);
  void operator()(BodyPart part) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Asked for the next part on an IO thread, when all before it is written: one part is held whatever
// the client's pace. Not asked while a part is owed, nor after the last one. Must not block; one
// that throws cuts the connection. Dropped when the body is over or its client gone.
using BodySource = std::function<void(PartSink)>;

}  // namespace fanfold::http
