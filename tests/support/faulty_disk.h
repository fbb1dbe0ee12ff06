// The disk as SQLite sees it in this program: counted, and made to fail.
#pragma once

namespace fanfold::testing {

// One at a time. The disk is sound again when it goes.
class FaultyDisk {
 public:
  FaultyDisk();
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  // How often a file was synced since the object was made.
  [[nodiscard]] int syncs() const;
  // Writes find no space.
  void Fill(bool full);
  // Syncs report an error of the device.
  void FailSyncs(bool fail);
};

}  // namespace fanfold::testing
