// Files in a folder that may be another user's, who may have put a link in their place: root would
// read, empty or give away what that leads to.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "common/base/read_file.h"

namespace fanfold {

// Does the folder of this file belong to another user than the caller and root?
[[nodiscard]] bool IsInOthersFolder(const std::string& path);

// open(2), closed by exec; in another's folder, of no link.
[[nodiscard]] int OpenAsNamed(const std::string& path, int flags, mode_t mode);

// Opens, or makes for its owner alone, a file of the program's own: a regular one that has this
// name alone and is no link. With O_CREAT root's in another's folder is given to whose that is, who
// would be kept out else. -1 as open(2); errno is EINVAL where it is none.
[[nodiscard]] int OpenOwn(const std::string& path, int flags);

// As ReadRegularUpTo, of such a file.
[[nodiscard]] std::expected<std::string, std::string_view> ReadOwnUpTo(const std::string& path,
                                                                       std::size_t bytes_max);

}  // namespace fanfold
