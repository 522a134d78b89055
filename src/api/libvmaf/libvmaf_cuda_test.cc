// libvmaf's CUDA functions on a driver without a GPU: pictures in "device" memory score as those of the host.
#include <gtest/gtest.h>
#include <libvmaf/libvmaf_cuda.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "api/libvmaf/libvmaf_test_util.h"
#include "backend/cuda/driver.h"
#include "backend/cuda/testing/fake_driver.h"

namespace acutance::libvmaf {
namespace {

constexpr VmafCudaPictureConfiguration kPictures = {{kWidth, kHeight, 8, VMAF_PIX_FMT_YUV420P},
                                                    VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE};

class LibvmafCuda : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(fake_.alive, alive_) << "something of the device was not given back";
    EXPECT_EQ(fake_.misuse, 0);
    ::unsetenv("ACUTANCE_CUDA_LIBRARY");
  }

  /// Stands for the client's cuMemcpy2D with a plain copy: the fake's device memory is the
  /// host's.
  static void Upload(VmafPicture host, VmafPicture& device) {
    for (int p = 0; p < 3; ++p)
      for (unsigned y = 0; y < host.h[p]; ++y)
        std::memcpy(static_cast<uint8_t*>(device.data[p]) + y * device.stride[p],
                    static_cast<uint8_t*>(host.data[p]) + y * host.stride[p], host.w[p]);
    EXPECT_EQ(vmaf_picture_unref(&host), 0);
  }

  static void ReadDevicePictures(VmafContext* vmaf, unsigned frames) {
    for (unsigned i = 0; i < frames; ++i) {
      VmafPicture reference, distorted;
      ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(vmaf, &reference), 0);
      ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(vmaf, &distorted), 0);
      Upload(MakePicture(i, 0), reference);
      Upload(MakePicture(i, 24), distorted);
      ASSERT_EQ(vmaf_read_pictures(vmaf, &reference, &distorted, i), 0);
      EXPECT_EQ(reference.ref, nullptr);
    }
    ASSERT_EQ(vmaf_read_pictures(vmaf, nullptr, nullptr, 0), 0);
  }

  /// The self-test refuses the fake, so the CPU computes on what comes back from the device.
  void ExpectHostScores(void* cu_ctx) {
    Vmaf host, device;
    LoadedModel loaded;
    VmafCudaState* state = nullptr;
    ASSERT_EQ(vmaf_cuda_state_init(&state, {cu_ctx}), 0);
    ASSERT_EQ(vmaf_cuda_import_state(device, state), 0);
    ASSERT_EQ(vmaf_cuda_preallocate_pictures(device, kPictures), 0);
    for (VmafContext* vmaf : {static_cast<VmafContext*>(host), static_cast<VmafContext*>(device)}) {
      ASSERT_EQ(vmaf_use_features_from_model(vmaf, loaded.model), 0);
      ASSERT_EQ(vmaf_use_feature(vmaf, "psnr", nullptr), 0);
    }
    ReadDevicePictures(device, 4);
    host.ReadAll(4);
    double expected = -1, found = -2;
    ASSERT_EQ(vmaf_score_pooled(host, loaded.model, VMAF_POOL_METHOD_MEAN, &expected, 0, 3), 0);
    ASSERT_EQ(vmaf_score_pooled(device, loaded.model, VMAF_POOL_METHOD_MEAN, &found, 0, 3), 0);
    EXPECT_EQ(found, expected);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(device.Feature("psnr_cb", i), host.Feature("psnr_cb", i));
  }

  cuda::FakeCuda& fake_ = cuda::UseFakeDriver(FAKE_CUDA_LIBRARY);
  const int alive_ = fake_.alive;
};

TEST_F(LibvmafCuda, PicturesOfTheFirstDevice) { ExpectHostScores(nullptr); }

TEST_F(LibvmafCuda, PicturesInTheClientsContext) {
  const cuda::Driver& driver = **cuda::OpenDriver();
  cuda::CUcontext context = nullptr;
  ASSERT_EQ(driver.cuDevicePrimaryCtxRetain(&context, 0), cuda::CUDA_SUCCESS);
  ExpectHostScores(context);
  EXPECT_EQ(driver.cuDevicePrimaryCtxRelease_v2(0), cuda::CUDA_SUCCESS);  // it was left to the client
}

TEST_F(LibvmafCuda, PicturesOfTheHostAndPinnedOnesAreTakenToo) {
  Vmaf vmaf;
  VmafCudaState* state = nullptr;
  ASSERT_EQ(vmaf_cuda_state_init(&state, {nullptr}), 0);
  ASSERT_EQ(vmaf_cuda_import_state(vmaf, state), 0);
  ASSERT_EQ(vmaf_use_feature(vmaf, "psnr", nullptr), 0);
  VmafCudaPictureConfiguration pinned = kPictures;
  pinned.pic_prealloc_method = VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED;
  ASSERT_EQ(vmaf_cuda_preallocate_pictures(vmaf, pinned), 0);
  ASSERT_EQ(vmaf.Read(0), 0);
  VmafPicture fetched = {}, host = MakePicture(1, 0);
  ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(vmaf, &fetched), 0);
  ASSERT_EQ(vmaf_read_pictures(vmaf, &host, &fetched, 1), 0);
  EXPECT_EQ(vmaf.Flush(), 0);
}

TEST_F(LibvmafCuda, MisuseIsAnErrorCode) {
  Vmaf vmaf;
  VmafPicture picture = {};
  VmafCudaState* state = nullptr;
  EXPECT_EQ(vmaf_cuda_state_init(nullptr, {nullptr}), -EINVAL);
  EXPECT_EQ(vmaf_cuda_preallocate_pictures(vmaf, kPictures), -EINVAL);  // no state
  ASSERT_EQ(vmaf_cuda_state_init(&state, {nullptr}), 0);
  EXPECT_EQ(vmaf_cuda_import_state(nullptr, state), -EINVAL);
  EXPECT_EQ(vmaf_cuda_import_state(vmaf, nullptr), -EINVAL);
  ASSERT_EQ(vmaf_cuda_import_state(vmaf, state), 0);
  EXPECT_EQ(vmaf_cuda_fetch_preallocated_picture(vmaf, &picture), -EINVAL);  // no pool
  VmafCudaPictureConfiguration wrong = kPictures;
  wrong.pic_params.bpc = 3;
  EXPECT_EQ(vmaf_cuda_preallocate_pictures(vmaf, wrong), -EINVAL);
  wrong = kPictures;
  wrong.pic_prealloc_method = static_cast<VmafCudaPicturePreallocationMethod>(4);
  EXPECT_EQ(vmaf_cuda_preallocate_pictures(vmaf, wrong), -EINVAL);
  ASSERT_EQ(vmaf_cuda_preallocate_pictures(vmaf, kPictures), 0);
  EXPECT_EQ(vmaf_cuda_fetch_preallocated_picture(vmaf, nullptr), -EINVAL);
  ASSERT_EQ(vmaf_cuda_fetch_preallocated_picture(vmaf, &picture), 0);
  ASSERT_EQ(vmaf_use_feature(vmaf, "psnr", nullptr), 0);
  VmafPicture host = MakePicture(0, 0);
  EXPECT_EQ(vmaf_read_pictures(vmaf, &host, &picture, 0), -EINVAL);  // one on the device, one not
  EXPECT_EQ(vmaf_picture_unref(&host), 0);
  EXPECT_EQ(vmaf_picture_unref(&picture), 0);
  EXPECT_EQ(vmaf.Read(0), 0);
  EXPECT_EQ(vmaf_cuda_import_state(vmaf, state), -EINVAL);  // too late
}

TEST_F(LibvmafCuda, WithoutADriverItIsLibvmafsError) {
  ::setenv("ACUTANCE_CUDA_LIBRARY", "/nowhere/libcuda.so.1", 1);
  VmafCudaState* state = nullptr;
  EXPECT_EQ(vmaf_cuda_state_init(&state, {nullptr}), -EINVAL);
  EXPECT_EQ(state, nullptr);
}

TEST_F(LibvmafCuda, AnExhaustedDeviceIsAnErrorCode) {
  Vmaf vmaf;
  VmafCudaState* state = nullptr;
  VmafPicture picture = {};
  ASSERT_EQ(vmaf_cuda_state_init(&state, {nullptr}), 0);
  ASSERT_EQ(vmaf_cuda_import_state(vmaf, state), 0);
  ASSERT_EQ(vmaf_cuda_preallocate_pictures(vmaf, kPictures), 0);
  fake_.memory_bytes = 0;
  EXPECT_EQ(vmaf_cuda_fetch_preallocated_picture(vmaf, &picture), -ENOMEM);
}

}  // namespace
}  // namespace acutance::libvmaf
