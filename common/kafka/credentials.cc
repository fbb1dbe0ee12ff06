#include "common/kafka/credentials.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/followed_files.h"
#include "common/base/secret_file.h"
#include "common/kafka/client.h"
#include "common/kafka/errors.h"
#include "common/kafka/files_gauge.h"
#include "common/kafka/refusals.h"

namespace fanfold::kafka {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLook{500};
// A list of what is revoked may be long.
constexpr std::size_t kFileBytesMax = std::size_t{64} << 20;
constexpr std::int64_t kTrialMs = 5'000;

using ClientSettings = std::map<std::string, std::string>;  // KafkaOptions::client

std::vector<std::string> PasswordFile(const ClientSettings& told) {
  const auto file = told.find("sasl.password_file");
  if (file == told.end() || !told.contains("sasl.username")) return {};
  return {file->second};
}

// What is no file, as a folder of authorities, is not followed.
std::vector<std::string> TlsFiles(const ClientSettings& told) {
  std::vector<std::string> files;
  for (const auto& [name, value] : told) {
    const bool names_file = name.ends_with(".location") || name.ends_with("_file");
    std::error_code ignored;
    if (name.starts_with("ssl.") && names_file && fs::is_regular_file(value, ignored)) {
      files.push_back(value);
    }
  }
  return files;
}

void OnTrialsLine(const rd_kafka_t* /*client*/, int /*level*/, const char* facility,
                  const char* text) {
  NoteLine(facility, text);  // and no more: it is tried again and again while it is refused
}

// A broker believes a client that is made now, and is believed by it.
Status Try(const KafkaOptions& options) {
  Result<ConfPtr> conf = NewConf(options, {});
  if (!conf) return Forward(conf);
  rd_kafka_conf_set_log_cb(conf->get(), &OnTrialsLine);
  const Result<rd_kafka_t*> tried = NewHandle(RD_KAFKA_CONSUMER, *std::move(conf));
  if (!tried) return std::unexpected(tried.error());
  auto answered = AskAnyBroker(*tried, kTrialMs, "no broker answers a client that is made anew");
  rd_kafka_destroy(*tried);
  return answered ? Status() : Forward(answered);
}

// The clients of the same options. No call is made of its files or of a broker with `mutex` held.
class Clients {
 public:
  Clients(const KafkaOptions& options, std::mutex& mutex)
      : options_(options),
        mutex_(mutex),
        password_(PasswordFile(options.client), kSecretBytesMax,
                  [this](auto) { return TellPassword(); }),
        tls_(TlsFiles(options.client), kFileBytesMax,
             [this](auto texts) { return BeginRound(texts); }) {}

  // Of one thread. False while something cannot be taken.
  bool Look() {
    {
      const std::scoped_lock lock(mutex_);
      if (made_in_.empty()) return true;
    }
    const bool told = password_.LookAgain();
    const bool taken = tls_.LookAgain();
    const std::scoped_lock lock(mutex_);
    files_are_of_round_ = taken;
    return told && taken;
  }

  // The first one begins without a try: whoever asks makes a client.
  Result<std::uint64_t> Round() {
    Result<std::vector<std::string>> texts = tls_.Read();
    const std::scoped_lock lock(mutex_);
    if (!texts && round_ == 0) return Forward(texts);
    if (!texts) return kNoRound;
    const std::size_t found = FollowedFiles::HashOf(*texts);
    if (round_ == 0) {
      round_ = 1;
      taken_ = found;
    }
    return found == taken_ ? round_ : kNoRound;
  }

  // It may have been made with a password that has changed since.
  void Add(rd_kafka_t* client, std::uint64_t round) {
    {
      const std::scoped_lock lock(mutex_);
      made_in_[client] = round;
    }
    (void)TellPassword();
  }

  // Requires: `mutex` is held.
  void Remove(rd_kafka_t* client) { made_in_.erase(client); }
  bool IsCurrent(rd_kafka_t* client) const { return made_in_.at(client) == round_; }
  bool IsOutdated(rd_kafka_t* client) const { return files_are_of_round_ && !IsCurrent(client); }

 private:
  // One after the other, so that the last one told is the last one read.
  Status TellPassword() {
    const std::vector<std::string> file = PasswordFile(options_.client);
    if (file.empty()) return {};
    const std::scoped_lock telling(telling_);
    const Result<std::string> password = ReadSecret(file.front());
    if (!password) return std::unexpected(password.error());
    const std::scoped_lock lock(mutex_);
    for (const auto& [client, round] : made_in_) {
      rd_kafka_error_t* refused = rd_kafka_sasl_set_credentials(
          client, options_.client.at("sasl.username").c_str(), password->c_str());
      if (refused != nullptr) return std::unexpected(ErrorOf(refused, "the password"));
    }
    return {};
  }

  Status BeginRound(std::span<const std::string> texts) {
    const std::size_t found = FollowedFiles::HashOf(texts);
    {
      const std::scoped_lock lock(mutex_);
      if (found == taken_) return {};
      files_are_of_round_ = false;
    }
    if (Status tried = Try(options_); !tried) return tried;
    const Result<std::vector<std::string>> read = tls_.Read();
    if (!read || FollowedFiles::HashOf(*read) != found) {
      return Fail(ErrorCode::kInvalidArgument, "changed while it was tried");
    }
    const std::scoped_lock lock(mutex_);
    round_ += 1;
    taken_ = found;
    return {};
  }

  static constexpr std::uint64_t kNoRound = 0;

  const KafkaOptions options_;
  std::mutex& mutex_;
  std::mutex telling_;  // before mutex_
  FollowedFiles password_;
  FollowedFiles tls_;
  // Under mutex_:
  std::uint64_t round_ = 0;
  std::size_t taken_ = 0;           // the hash of what the round's files hold
  bool files_are_of_round_ = true;  // as they were looked at last
  std::map<rd_kafka_t*, std::uint64_t> made_in_;
};

class Credentials {
 public:
  Result<std::uint64_t> RoundOf(const KafkaOptions& options) { return Of(options).Round(); }
  void Follow(rd_kafka_t* client, const KafkaOptions& options, std::uint64_t round) {
    Clients& clients = Of(options);
    clients.Add(client, round);
    const std::scoped_lock lock(mutex_);
    of_[client] = &clients;
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  }
  bool IsCurrent(rd_kafka_t* client) {
    const std::scoped_lock lock(mutex_);
    return of_.at(client)->IsCurrent(client);
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
  void ShowBroken(Gauge* broken) {
    const std::scoped_lock lock(mutex_);
    broken_ = broken;
  }

 private:
  Clients& Of(const KafkaOptions& options) {
    const KafkaOptions reaching{.brokers = options.brokers, .client = options.client};
    const std::scoped_lock lock(mutex_);
    return all_.try_emplace({options.brokers, options.client}, reaching, mutex_).first->second;
  }

  std::vector<Clients*> Followed() {
    const std::scoped_lock lock(mutex_);
    std::vector<Clients*> followed;
    followed.reserve(all_.size());
    for (auto& [options, clients] : all_) followed.push_back(&clients);
    return followed;
  }

  void Run() {
    while (true) {
      std::this_thread::sleep_for(kLook);
      bool broken = false;
      for (Clients* clients : Followed()) broken = !clients->Look() || broken;
      const std::scoped_lock lock(mutex_);
      if (broken_ != nullptr) broken_->Set(broken ? 1 : 0);
    }
  }

  std::mutex mutex_;  // held for a moment only: every poll asks whether its client is outdated
  std::map<std::pair<std::string, ClientSettings>, Clients> all_;
  std::map<rd_kafka_t*, Clients*> of_;
  Gauge* broken_ = nullptr;
  std::thread thread_;
};

// Never destroyed, nor does its thread end: clients may go while the process does.
Credentials& AllCredentials() {
  static auto& all = *new Credentials();
  return all;
}

}  // namespace

Result<std::uint64_t> RoundOf(const KafkaOptions& options) {
  return AllCredentials().RoundOf(options);
}

void Follow(rd_kafka_t* client, const KafkaOptions& options, std::uint64_t made_in_round) {
  AllCredentials().Follow(client, options, made_in_round);
}

bool IsCurrent(rd_kafka_t* client) { return AllCredentials().IsCurrent(client); }

bool IsOutdated(rd_kafka_t* client) { return AllCredentials().IsOutdated(client); }

void Forget(rd_kafka_t* client) noexcept { AllCredentials().Forget(client); }

}  // namespace fanfold::kafka

namespace fanfold {

KafkaFilesGauge::KafkaFilesGauge(Metrics& metrics) {
  Gauge& broken = metrics.GetGauge(
      "fanfold_kafka_files_broken",
      "1 while a password, certificates or keys for Kafka cannot be taken, or no broker answers "
      "whoever shows them, and those from before are used");
  broken.Set(0);
  kafka::AllCredentials().ShowBroken(&broken);
}

KafkaFilesGauge::~KafkaFilesGauge() { kafka::AllCredentials().ShowBroken(nullptr); }

}  // namespace fanfold
