#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "common/base/check.h"

namespace fanfold::testing {

// An empty folder of its own, removed with the object.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "fanfold-test-XXXXXX").string();
    const char* made = mkdtemp(name.data());
    FANFOLD_CHECK(made != nullptr, name);
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace fanfold::testing
