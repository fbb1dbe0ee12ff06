// A file written line by line.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "common/base/result.h"

namespace fanfold::operations {

// The lines are on the disk once Finish has said so. One thread at a time. Blocks as the file does.
class LineFile {
 public:
  // Errors: kInvalidArgument, it cannot be written.
  [[nodiscard]] static Result<LineFile> Open(const std::string& path);
  // The file of this descriptor, which it then owns. Negative: there is none, errno says why.
  // Errors: as Open's, which call it `name`.
  [[nodiscard]] static Result<LineFile> Of(int descriptor, const std::string& name);

  // `line` without its end. Errors: kRefused, longer than kLogLineBytesMax; kInternal.
  [[nodiscard]] Status Put(std::string line);
  [[nodiscard]] Status Finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  LineFile(std::string name, std::FILE* file);
  [[nodiscard]] static Result<LineFile> Opened(const std::string& name, std::FILE* file);
  [[nodiscard]] Status Failed() const;

  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
};

using OpenLineFile = std::function<Result<LineFile>()>;

}  // namespace fanfold::operations
