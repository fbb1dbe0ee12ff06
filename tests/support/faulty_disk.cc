#include "tests/support/faulty_disk.h"

#include <atomic>
#include <cerrno>
#include <initializer_list>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<int> syncs_made = 0;
std::atomic<bool> failing_syncs = false;
std::atomic<bool> full = false;

int CountedSync(long call, int descriptor) {
  ++syncs_made;
  if (failing_syncs) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(call, descriptor));
}

ssize_t BoundedWrite(int descriptor, const void* bytes, size_t size, off_t offset) {
  if (full) {
    errno = ENOSPC;
    return -1;
  }
  return pwrite(descriptor, bytes, size, offset);
}

void ReplaceWrites(bool replace) {
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  const auto call = reinterpret_cast<sqlite3_syscall_ptr>(&BoundedWrite);
  for (const char* name : {"pwrite", "pwrite64"}) {
    vfs->xSetSystemCall(vfs, name, replace ? call : nullptr);
  }
}

}  // namespace

// SQLite calls these by name, and the program's own come before the system's.
extern "C" int fsync(int descriptor) { return CountedSync(SYS_fsync, descriptor); }
extern "C" int fdatasync(int descriptor) { return CountedSync(SYS_fdatasync, descriptor); }

namespace fanfold::testing {

FaultyDisk::FaultyDisk() {
  syncs_made = 0;
  ReplaceWrites(true);
}

FaultyDisk::~FaultyDisk() {
  Fill(false);
  FailSyncs(false);
  ReplaceWrites(false);
}

int FaultyDisk::syncs() const { return syncs_made; }
void FaultyDisk::Fill(bool is_full) { full = is_full; }
void FaultyDisk::FailSyncs(bool fail) { failing_syncs = fail; }

}  // namespace fanfold::testing
