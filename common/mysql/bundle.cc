#include "common/mysql/bundle.h"

#include <algorithm>

namespace fanfold::mysql {

void Bundle::Add(std::string_view sql) {
  // Half of a packet, so that two fit into one.
  const std::size_t most = std::min(kBytesMax, connection_.packet_bytes_max() / 2);
  if (statements_.size() + sql.size() >= most) Send();
  if (sql.size() >= most) {
    connection_.Execute(sql);
    return;
  }
  if (count_ > 0) statements_ += ';';
  statements_ += sql;
  ++count_;
}

void Bundle::Send() {
  if (count_ > 0) (void)connection_.ExecuteTogether(statements_, count_);
  statements_.clear();
  count_ = 0;
}

}  // namespace fanfold::mysql
