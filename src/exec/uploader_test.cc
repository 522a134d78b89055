#include "exec/uploader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <future>
#include <new>
#include <random>
#include <thread>

#include "exec/device_checks.h"

namespace acutance {
namespace {

class TestBuffer : public Buffer {
 public:
  explicit TestBuffer(size_t bytes) : memory(bytes, std::byte{0xEE}) {}
  size_t bytes() const override { return memory.size(); }
  uint64_t address() const override { return 0; }
  std::byte* host() const override { return memory.data(); }

  mutable std::vector<std::byte> memory;
};

/// A queue that reads as late as a device may: when a thread waits for it.
class LateQueue : public Queue {
 public:
  Result<std::unique_ptr<Recording>> Record(std::span<const Command>) override { return Failure(); }
  Status Submit(Recording&) override { return Failure(); }
  Status Copy(std::span<const CopyCommand> copies) override {
    if (++calls_ == failing_call) return Fail();
    for (const CopyCommand& copy : copies) ACU_RETURN_IF_ERROR(CheckCopy(copy));
    const std::lock_guard lock(mutex_);
    pending_.emplace_back(copies.begin(), copies.end());
    ++submitted_;
    return {};
  }
  Result<std::unique_ptr<Mark>> MarkEnd() override {
    if (!marks) return Queue::MarkEnd();
    return std::unique_ptr<Mark>(std::make_unique<LateMark>(*this, submitted_));
  }
  Status Wait() override { return WaitUntil(submitted_); }

  bool marks = true;
  int failing_call = 0, failing_wait = 0;
  bool throws = false;  // where it fails

 private:
  struct LateMark : Mark {
    LateMark(LateQueue& owner, int count) : queue(owner), submitted(count) {}
    Status Wait() override { return queue.WaitUntil(submitted); }
    LateQueue& queue;
    const int submitted;
  };

  Status WaitUntil(int submitted) {
    const std::lock_guard lock(mutex_);
    if (++waits_ == failing_wait) return Fail();
    for (; submitted_ - std::ssize(pending_) < submitted; pending_.pop_front())
      for (const CopyCommand& copy : pending_.front()) Do(copy);
    return {};
  }
  Status Fail() const {
    if (throws) throw std::bad_alloc();
    return Failure();
  }
  static Status Failure() { return Error(StatusCode::kIo, "the queue failed"); }
  static void Do(const CopyCommand& copy) {
    for (size_t row = 0; row < copy.rows; ++row)
      std::memcpy(copy.to->host() + copy.to_offset + row * copy.to_stride,
                  copy.from->host() + copy.from_offset + row * copy.from_stride, copy.bytes);
  }

  std::mutex mutex_;
  int calls_ = 0, waits_ = 0, submitted_ = 0;
  std::deque<std::vector<CopyCommand>> pending_;
};

class TestDevice : public Device {
 public:
  const DeviceInfo& info() const override { return info_; }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override {
    EXPECT_EQ(kind, MemoryKind::kUpload);
    allocated = bytes;
    return std::unique_ptr<Buffer>(std::make_unique<TestBuffer>(bytes));
  }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage&) override { return std::unique_ptr<Kernel>(); }
  Result<std::unique_ptr<Queue>> MakeQueue() override { return std::unique_ptr<Queue>(); }

  size_t allocated = 0;

 private:
  DeviceInfo info_;
};

/// Four threads, which begin the items in order.
Status OnThreads(int count, const std::function<void(int)>& work) {
  std::atomic<int> next = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = next++; i < count; i = next++) work(i);
    });
  for (std::thread& thread : threads) thread.join();
  return {};
}

struct Layout {
  int width, height;
  size_t from_stride, to_stride;
  int planes;
};

/// Planes of noise, as a batch would have them, and where they go.
class Batch {
 public:
  explicit Batch(const Layout& layout) : layout_(layout), to_(PlaneBytes() * layout.planes) {
    std::mt19937 random(7);
    bytes_.resize(layout.from_stride * layout.height * layout.planes);
    for (std::byte& byte : bytes_) byte = static_cast<std::byte>(random());
  }

  size_t bytes() const { return to_.bytes(); }

  Status Run(Uploader& uploader, Queue& queue, const ForEach& for_each) {
    Upload upload;
    for (int i = 0; i < layout_.planes; ++i)
      upload.planes.push_back(
          {PlaneAt(i), static_cast<size_t>(layout_.width), &to_, i * PlaneBytes(), layout_.to_stride});
    EXPECT_EQ(upload.bytes(), static_cast<size_t>(layout_.width) * layout_.height * layout_.planes);
    ACU_RETURN_IF_ERROR(uploader.Run(upload, queue, for_each));
    return queue.Wait();
  }

  void Expect(std::byte padding) const {
    for (int i = 0; i < layout_.planes; ++i)
      for (int y = 0; y < layout_.height; ++y) {
        const std::byte* row = to_.host() + i * PlaneBytes() + y * layout_.to_stride;
        ASSERT_EQ(std::memcmp(row, PlaneAt(i).data + y * PlaneAt(i).stride, layout_.width), 0) << i << ", row " << y;
        for (size_t x = layout_.width; x < layout_.to_stride; ++x) ASSERT_EQ(row[x], padding);
      }
  }

  void Change() {
    for (std::byte& byte : bytes_) byte ^= std::byte{0x5A};
  }

 private:
  size_t PlaneBytes() const { return layout_.to_stride * layout_.height; }
  Plane PlaneAt(int i) const {
    return {bytes_.data() + i * layout_.from_stride * layout_.height, static_cast<ptrdiff_t>(layout_.from_stride),
            layout_.width, layout_.height};
  }

  const Layout layout_;
  std::vector<std::byte> bytes_;
  TestBuffer to_;
};

constexpr size_t kSegment = 70'000;

TEST(Uploader, BringsEveryByteThroughLittleMemory) {
  for (const Layout& layout : {Layout{3, 2, 3, 64, 1}, Layout{192, 108, 192, 192, 64}, Layout{101, 70, 110, 128, 160},
                               Layout{65536, 11, 65536, 65536, 2}, Layout{300, 200, 300, 320, 1}})
    for (const bool threads : {false, true})
      for (const bool marks : {false, true}) {
        TestDevice device;
        Batch batch(layout);
        const auto uploader = Uploader::Make(device, batch.bytes(), kSegment, std::byte{0xA7}).value();
        EXPECT_LE(device.allocated, 6 * kSegment);
        LateQueue queue;
        queue.marks = marks;
        for (int repeat = 0; repeat < 3; ++repeat) {
          const Status status = batch.Run(*uploader, queue, threads ? ForEach(OnThreads) : ForEach());
          ASSERT_TRUE(status.ok()) << status.message();
          batch.Expect(std::byte{0xA7});
          batch.Change();
        }
      }
}

/// Several batches, each on its own thread, go through the same segments.
TEST(Uploader, TakesSeveralBatchesAtOnce) {
  for (const bool marks : {false, true}) {
    TestDevice device;
    std::deque<Batch> batches;
    for (int i = 0; i < 3; ++i) batches.emplace_back(Layout{192, 108, 192 + 8 * static_cast<size_t>(i), 192, 40});
    const auto uploader = Uploader::Make(device, batches[0].bytes(), kSegment, std::byte{0xA7}).value();
    std::deque<LateQueue> queues(batches.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < batches.size(); ++i)
      threads.emplace_back([&, &batch = batches[i], &queue = queues[i]] {
        queue.marks = marks;
        for (int repeat = 0; repeat < 4; ++repeat) {
          const Status status = batch.Run(*uploader, queue, OnThreads);
          ASSERT_TRUE(status.ok()) << status.message();
          batch.Expect(std::byte{0xA7});
          batch.Change();
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
}

/// After a failure the device may still read any segment, so that none is written.
TEST(Uploader, AfterAFailureAllBatchesFail) {
  for (int which = 1; which <= 6; ++which) {
    TestDevice device;
    Batch good({192, 108, 192, 192, 64}), bad({192, 108, 192, 192, 64});
    const auto uploader = Uploader::Make(device, good.bytes(), kSegment, std::byte{0xA7}).value();
    LateQueue queue, failing;
    failing.failing_call = which;
    Status beside;
    std::thread thread([&] { beside = good.Run(*uploader, queue, OnThreads); });
    EXPECT_FALSE(bad.Run(*uploader, failing, OnThreads).ok());
    thread.join();
    if (beside.ok()) good.Expect(std::byte{0xA7});
    EXPECT_EQ(good.Run(*uploader, queue, OnThreads).message(), "the queue failed");
  }
}

TEST(Uploader, EndsAfterAFailure) {
  for (int which = 1; which <= 6; ++which)
    for (const bool wait : {false, true}) {
      TestDevice device;
      Batch batch({192, 108, 192, 192, 64});
      const auto uploader = Uploader::Make(device, batch.bytes(), kSegment, std::byte{0}).value();
      LateQueue queue;
      (wait ? queue.failing_wait : queue.failing_call) = which;
      EXPECT_EQ(batch.Run(*uploader, queue, OnThreads).message(), "the queue failed") << which << wait;
    }
}

/// Where memory runs out: other batches wait for the turns of this one.
TEST(Uploader, OtherBatchesEndWhereOneLacksMemory) {
  const auto work = std::make_shared<std::packaged_task<void()>>([] {
    for (int which = 1; which <= 6; ++which)
      for (const bool wait : {false, true}) {
        TestDevice device;
        Batch bad({192, 108, 192, 192, 64}), good({192, 108, 192, 192, 64});
        const auto uploader = Uploader::Make(device, bad.bytes(), kSegment, std::byte{0}).value();
        LateQueue failing, queue;
        failing.throws = true;
        (wait ? failing.failing_wait : failing.failing_call) = which;
        // As ParallelFor, which returns an exception as an error in the end.
        const ForEach guarded = [](int count, const std::function<void(int)>& copy) {
          std::atomic<bool> threw = false;
          const Status status = OnThreads(count, [&](int i) {
            try {
              copy(i);
            } catch (const std::bad_alloc&) {
              threw = true;
            }
          });
          return threw ? Error(StatusCode::kOutOfMemory, "no memory") : status;
        };
        std::thread beside([&] { static_cast<void>(good.Run(*uploader, queue, OnThreads)); });
        EXPECT_EQ(bad.Run(*uploader, failing, guarded).code(), StatusCode::kOutOfMemory) << which << wait;
        beside.join();
      }
  });
  std::future<void> ended = work->get_future();
  std::thread([work] { (*work)(); }).detach();
  ASSERT_EQ(ended.wait_for(std::chrono::seconds(20)), std::future_status::ready) << "a batch waits for ever";
}

TEST(Uploader, FillsBuffersOfAnySizeWithPadding) {
  TestDevice device;
  const auto uploader = Uploader::Make(device, 1000, kSegment, std::byte{0x11}).value();
  TestBuffer to(3333);
  LateQueue queue;
  std::vector<CopyCommand> copies;
  uploader->AppendFill(to, copies);
  ASSERT_TRUE(queue.Copy(copies).ok());
  ASSERT_TRUE(queue.Wait().ok());
  for (const std::byte byte : to.memory) ASSERT_EQ(byte, std::byte{0x11});
}

}  // namespace
}  // namespace acutance
