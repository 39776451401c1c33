// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Valid and damaged files of compiled GPU kernels.
#include <saltus/base/device/kernel_cache.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace Saltus;

namespace
{
  namespace fs = std::filesystem;

  /// A cache in a folder of its own.
  class KernelCaches : public testing::Test
  {
  protected:
    KernelCaches()
      : folder(fs::temp_directory_path() / ("kernel_cache_" + std::to_string(getpid())))
    {
      setenv("SALTUS_CACHE", folder.c_str(), 1);
    }

    ~KernelCaches() override
    {
      unsetenv("SALTUS_CACHE");
      fs::permissions(folder, fs::perms::owner_all);
      fs::remove_all(folder);
    }

    fs::path
    file() const
    {
      return folder / "sm_90" / (key + ".kernel");
    }

    const fs::path          folder;
    const std::string       key    = std::string(32, 'a');
    const std::vector<char> binary = {'c', 'u', '\0', 'b', 'i', 'n'};
  };
} // namespace

TEST_F(KernelCaches, KeepBinaries)
{
  const KernelCache cache("sm_90");
  EXPECT_EQ(cache.folder(), (folder / "sm_90").string());
  EXPECT_FALSE(cache.read(key));
  ASSERT_EQ(cache.write(key, binary), "");
  EXPECT_EQ(cache.read(key), binary);
  EXPECT_FALSE(KernelCache("sm_80").read(key));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "sm_90"), fs::directory_iterator()), 1);
}

TEST_F(KernelCaches, CompileDamagedFilesAgain)
{
  const KernelCache cache("sm_90");
  ASSERT_EQ(cache.write(key, binary), "");
  const auto size = fs::file_size(file());
  // A cut file, another byte, a file of another key, an empty file.
  const auto damage = [&](const auto &change) {
    ASSERT_EQ(cache.write(key, binary), "");
    change();
    EXPECT_FALSE(cache.read(key));
    EXPECT_FALSE(fs::exists(file()));
  };
  damage([&]() { fs::resize_file(file(), size - 1); });
  damage([&]() {
    std::fstream stream(file());
    stream.seekp(-1, std::ios::end);
    stream.put('x');
  });
  damage([&]() {
    const std::string other(32, 'b');
    ASSERT_EQ(cache.write(other, binary), "");
    fs::rename(folder / "sm_90" / (other + ".kernel"), file());
  });
  damage([&]() { fs::resize_file(file(), 0); });
}

TEST_F(KernelCaches, TrustNobodyElse)
{
  const KernelCache cache("sm_90");
  ASSERT_EQ(cache.write(key, binary), "");
  fs::permissions(file(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(cache.read(key));
  fs::permissions(file(), fs::perms::others_write, fs::perm_options::remove);
  EXPECT_EQ(cache.read(key), binary);
  // A link to a good file.
  fs::rename(file(), folder / "elsewhere");
  fs::create_symlink(folder / "elsewhere", file());
  EXPECT_FALSE(cache.read(key));
  fs::remove(file());
  // A folder that others may write to.
  fs::permissions(folder / "sm_90", fs::perms::others_write, fs::perm_options::add);
  EXPECT_NE(cache.write(key, binary).find("writable by others"), std::string::npos);
}

TEST_F(KernelCaches, NeedNoFolder)
{
  setenv("SALTUS_CACHE", "/proc/no/such/folder", 1);
  const KernelCache cache("sm_90");
  EXPECT_FALSE(cache.read(key));
  EXPECT_NE(cache.write(key, binary).find("/proc/no/such/folder"), std::string::npos);
  fs::create_directories(folder);
}

TEST_F(KernelCaches, OneProcessAtATime)
{
  fs::create_directories(folder);
  auto        lock = std::make_unique<KernelLock>(key);
  bool        done = false;
  std::thread other([&]() {
    const KernelLock second(key);
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(done);
  lock.reset();
  other.join();
  EXPECT_TRUE(done);
}
