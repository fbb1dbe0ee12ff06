// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <cstdint>
#include <librdkafka/rdkafka.h>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/kafka/client.h"
#include "common/kafka/kafka_partition_ownership.h"
#include "common/ports/partition_ownership.h"

namespace fanfold::kafka {

// One stay in a consumer group, from subscribing to closing. One thread, which makes all callbacks.
class GroupMember {
 public:
  GroupMember(const OwnershipOptions& options, const PartitionOwnership::Callbacks& callbacks)
      : options_(options), callbacks_(callbacks) {}
  GroupMember(const GroupMember&) = delete;
  GroupMember& operator=(const GroupMember&) = delete;
  // Loses the partitions that have not been lost by then.
  ~GroupMember();

  // Its client, which is in no group yet. Errors: kInvalidArgument.
  [[nodiscard]] Status Make();
  // Does not block; makes its client where there is none. Errors: kInvalidArgument.
  [[nodiscard]] Status Subscribe();
  // Lets gains and losses happen for at most timeout_ms. False when this stay is over: the group
  // will have this member no more, a new one has to join.
  [[nodiscard]] bool Serve(std::int64_t timeout_ms);
  // The files of its certificates hold others now: a new member is to join. Not while this one is
  // about to be assigned something, since it could not be destroyed before.
  [[nodiscard]] bool IsOutdated() const {
    return (CanBeDestroyed() || cut_off_) && kafka::IsOutdated(client_.get());
  }
  [[nodiscard]] bool IsCurrent() const { return kafka::IsCurrent(client_.get()); }
  // Gives everything back and says good-bye. Blocks for at most timeout_ms and the callbacks' time.
  void Close(std::int64_t timeout_ms);

 private:
  static void OnRebalance(rd_kafka_t* client, rd_kafka_resp_err_t error,
                          rd_kafka_topic_partition_list_t* partitions, void* opaque);
  static void OnClientError(rd_kafka_t* client, int error, const char* reason, void* opaque);

  void Gain(rd_kafka_topic_partition_list_t* partitions);
  void Lose(const rd_kafka_topic_partition_list_t* partitions);
  void LoseAll();
  bool CanBeDestroyed() const;

  const OwnershipOptions& options_;
  const PartitionOwnership::Callbacks& callbacks_;
  ClientPtr client_;
  std::set<Partition> owned_;
  bool subscribed_ = false;
  bool assigned_ = false;
  bool cut_off_ = false;  // reached no broker, once
  bool over_ = false;
};

}  // namespace fanfold::kafka
