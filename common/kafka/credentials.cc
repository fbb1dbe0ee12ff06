#include "common/kafka/credentials.h"

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "common/base/logging.h"
#include "common/base/secret_file.h"
#include "common/kafka/errors.h"

namespace fanfold::kafka {
namespace {

constexpr std::chrono::milliseconds kLook{500};

struct Followed {
  std::string user;
  std::string file;
  std::string password;  // as it was last told; it was made with one that may have changed since
};

// A file that cannot be read may be on its way: the client keeps what it has.
void Renew(rd_kafka_t* client, Followed& of) {
  Result<std::string> now = ReadSecret(of.file);
  if (!now || *now == of.password) return;
  rd_kafka_error_t* refused = rd_kafka_sasl_set_credentials(client, of.user.c_str(), now->c_str());
  if (refused == nullptr) {
    of.password = *std::move(now);
  } else {
    LogWarning("kafka keeps its password", {{"error", ErrorOf(refused, of.user).message}});
  }
}

class Passwords {
 public:
  void Follow(rd_kafka_t* client, Followed of) {
    const std::scoped_lock lock(mutex_);
    clients_[client] = std::move(of);
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  }
  void Forget(rd_kafka_t* client) {
    const std::scoped_lock lock(mutex_);
    clients_.erase(client);
  }

 private:
  void Run() {
    while (true) {
      std::this_thread::sleep_for(kLook);
      const std::scoped_lock lock(mutex_);
      for (auto& [client, of] : clients_) Renew(client, of);
    }
  }

  std::mutex mutex_;
  std::map<rd_kafka_t*, Followed> clients_;
  std::thread thread_;
};

// Never destroyed, nor does its thread end: clients may go while the process does.
Passwords& All() {
  static auto& all = *new Passwords();
  return all;
}

}  // namespace

void FollowPassword(rd_kafka_t* client, const KafkaOptions& options) {
  const auto user = options.client.find("sasl.username");
  const auto file = options.client.find("sasl.password_file");
  if (user == options.client.end() || file == options.client.end()) return;
  All().Follow(client, {user->second, file->second, {}});
}

void ForgetPassword(rd_kafka_t* client) noexcept { All().Forget(client); }

}  // namespace fanfold::kafka
