#include "cli/embedded/folder_room.h"

#include <gtest/gtest.h>
#include <string>
#include <sys/statvfs.h>

namespace fanfold::embedded {
namespace {

bool Shows(const Metrics& metrics, const std::string& bytes) {
  return metrics.Text().find("\nfanfold_folder_free_bytes " + bytes + "\n") != std::string::npos;
}

TEST(FolderRoom, IsKnownBeforeAnybodyAsks) {
  Metrics metrics;
  const FolderRoom room("/proc/self", metrics);  // no disk
  EXPECT_TRUE(Shows(metrics, "0"));
  struct statvfs disk{};
  ASSERT_EQ(statvfs("/", &disk), 0);
  const double free_bytes = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  EXPECT_NEAR(static_cast<double>(FreeBytes("/").value()), free_bytes, 1e9) << "others write, too";
}

TEST(FolderRoom, StaysAsItWasWhereTheSystemDoesNotTell) {
  EXPECT_EQ(FreeBytes("/no such folder"), std::nullopt);
  Metrics metrics;
  FolderRoom room("/no such folder", metrics);
  metrics.GetGauge("fanfold_folder_free_bytes", "").Set(7);
  room.Show();
  EXPECT_TRUE(Shows(metrics, "7"));
}

}  // namespace
}  // namespace fanfold::embedded
