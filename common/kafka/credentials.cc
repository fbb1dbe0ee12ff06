#include "common/kafka/credentials.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/base/followed_files.h"
#include "common/base/secret_file.h"
#include "common/kafka/client.h"
#include "common/kafka/errors.h"

namespace fanfold::kafka {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLook{500};
constexpr std::size_t kFileBytesMax = std::size_t{1} << 20;

using Told = std::map<std::string, std::string>;  // KafkaOptions::client

std::vector<std::string> PasswordFile(const Told& told) {
  const auto file = told.find("sasl.password_file");
  if (file == told.end() || !told.contains("sasl.username")) return {};
  return {file->second};
}

// What is no file, as a folder of authorities, is not followed.
std::vector<std::string> TlsFiles(const Told& told) {
  std::vector<std::string> files;
  for (const auto& [name, value] : told) {
    const bool names_file = name.ends_with(".location") || name.ends_with("_file");
    std::error_code ignored;
    if (name.starts_with("ssl.") && names_file && fs::is_regular_file(value, ignored) &&
        fs::file_size(value, ignored) <= kFileBytesMax) {
      files.push_back(value);
    }
  }
  return files;
}

// The clients of the same options. Requires of all: the lock of Credentials.
class Clients {
 public:
  explicit Clients(const Told& told)
      : told_(told),
        password_(PasswordFile(told), kSecretBytesMax, [this](auto) { return TellPassword(); }),
        tls_(TlsFiles(told), kFileBytesMax, [this](auto) { return BeginRound(); }) {}

  void Look() {
    if (made_in_.empty()) return;
    password_.LookAgain();
    tls_.LookAgain();
  }
  std::uint64_t round() {
    tls_.LookAgain();
    return round_;
  }
  // It may have been made with a password that has changed since.
  void Add(rd_kafka_t* client, std::uint64_t round) {
    made_in_[client] = round;
    if (!PasswordFile(told_).empty()) (void)TellPassword();
  }
  void Remove(rd_kafka_t* client) { made_in_.erase(client); }
  bool IsOutdated(rd_kafka_t* client) { return made_in_.at(client) != round_; }

 private:
  Status TellPassword() {
    const std::vector<std::string> file = PasswordFile(told_);
    if (file.empty()) return {};
    const Result<std::string> password = ReadSecret(file.front());
    if (!password) return std::unexpected(password.error());
    for (const auto& [client, round] : made_in_) {
      rd_kafka_error_t* refused = rd_kafka_sasl_set_credentials(
          client, told_.at("sasl.username").c_str(), password->c_str());
      if (refused != nullptr) return std::unexpected(ErrorOf(refused, "the password"));
    }
    return {};
  }

  // The first one begins without a try: whoever asks makes a client.
  Status BeginRound() {
    if (round_ > 0) {
      Result<ConfPtr> conf = NewConf({.client = told_}, {});
      if (!conf) return Forward(conf);
      rd_kafka_conf_set_log_cb(conf->get(), nullptr);  // tried twice a second while it is refused
      const Result<rd_kafka_t*> tried = NewHandle(RD_KAFKA_CONSUMER, *std::move(conf));
      if (!tried) return std::unexpected(tried.error());
      rd_kafka_destroy(*tried);
    }
    round_ += 1;
    return {};
  }

  const Told told_;
  FollowedFiles password_;
  FollowedFiles tls_;
  std::uint64_t round_ = 0;
  std::map<rd_kafka_t*, std::uint64_t> made_in_;
};

class Credentials {
 public:
  std::uint64_t RoundOf(const Told& told) {
    const std::scoped_lock lock(mutex_);
    return all_.try_emplace(told, told).first->second.round();
  }
  void Follow(rd_kafka_t* client, const Told& told, std::uint64_t round) {
    const std::scoped_lock lock(mutex_);
    Clients& clients = all_.at(told);
    clients.Add(client, round);
    of_[client] = &clients;
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  }
  bool IsOutdated(rd_kafka_t* client) {
    const std::scoped_lock lock(mutex_);
    return of_.at(client)->IsOutdated(client);
  }
  void Forget(rd_kafka_t* client) {
    const std::scoped_lock lock(mutex_);
    const auto found = of_.find(client);
    if (found == of_.end()) return;
    found->second->Remove(client);
    of_.erase(found);
  }

 private:
  void Run() {
    while (true) {
      std::this_thread::sleep_for(kLook);
      const std::scoped_lock lock(mutex_);
      for (auto& [told, clients] : all_) clients.Look();
    }
  }

  std::mutex mutex_;
  std::map<Told, Clients> all_;
  std::map<rd_kafka_t*, Clients*> of_;
  std::thread thread_;
};

// Never destroyed, nor does its thread end: clients may go while the process does.
Credentials& All() {
  static auto& all = *new Credentials();
  return all;
}

}  // namespace

std::uint64_t RoundOf(const KafkaOptions& options) { return All().RoundOf(options.client); }

void Follow(rd_kafka_t* client, const KafkaOptions& options, std::uint64_t made_in_round) {
  All().Follow(client, options.client, made_in_round);
}

bool IsOutdated(rd_kafka_t* client) { return All().IsOutdated(client); }

void Forget(rd_kafka_t* client) noexcept { All().Forget(client); }

}  // namespace fanfold::kafka
