// Generated pictures, and contexts and models that close themselves.
#pragma once

#include <gtest/gtest.h>
#include <libvmaf/libvmaf.h>

#include <cstddef>
#include <cstdint>

namespace acutance::libvmaf {

inline constexpr unsigned kWidth = 96;
inline constexpr unsigned kHeight = 80;

inline VmafPicture MakePicture(unsigned frame, unsigned noise, unsigned width = kWidth, unsigned bpc = 8) {
  VmafPicture picture;
  EXPECT_EQ(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, bpc, width, kHeight), 0);
  for (int p = 0; p < 3; ++p)
    for (unsigned y = 0; y < picture.h[p]; ++y)
      for (unsigned x = 0; x < picture.w[p]; ++x) {
        auto* row = static_cast<uint8_t*>(picture.data[p]) + static_cast<ptrdiff_t>(y) * picture.stride[p];
        const unsigned value = 40 + (3 * x + 2 * y + 5 * frame) % 150 + (noise ? (x * 7 + y * 13 + frame) % noise : 0);
        if (bpc == 8) {
          row[x] = static_cast<uint8_t>(value);
        } else {
          reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(value << (bpc - 8));
        }
      }
  return picture;
}

class Vmaf {
 public:
  explicit Vmaf(unsigned threads = 0, unsigned subsample = 1, uint64_t gpumask = 0,
                VmafLogLevel level = VMAF_LOG_LEVEL_ERROR) {
    EXPECT_EQ(vmaf_init(&context_, {level, threads, subsample, 0, gpumask}), 0);
  }
  ~Vmaf() { EXPECT_EQ(vmaf_close(context_), 0); }
  operator VmafContext*() const { return context_; }

  int Read(unsigned frame, unsigned width = kWidth) {
    VmafPicture reference = MakePicture(frame, 0, width);
    VmafPicture distorted = MakePicture(frame, 24, width);
    const int result = vmaf_read_pictures(context_, &reference, &distorted, frame);
    if (result == 0) {
      EXPECT_FALSE(reference.ref || distorted.ref || reference.data[0]);
    } else {
      EXPECT_EQ(vmaf_picture_unref(&reference), 0);
      EXPECT_EQ(vmaf_picture_unref(&distorted), 0);
    }
    return result;
  }
  int Flush() { return vmaf_read_pictures(context_, nullptr, nullptr, 0); }
  void ReadAll(unsigned frames) {
    for (unsigned i = 0; i < frames; ++i) ASSERT_EQ(Read(i), 0);
    ASSERT_EQ(Flush(), 0);
  }
  double Feature(const char* name, unsigned index) {
    double score = -1;
    EXPECT_EQ(vmaf_feature_score_at_index(context_, name, &score, index), 0) << name << " " << index;
    return score;
  }

 private:
  VmafContext* context_ = nullptr;
};

struct LoadedModel {
  explicit LoadedModel(const char* version = "vmaf_v0.6.1", uint64_t flags = 0, const char* name = nullptr) {
    VmafModelConfig config{name, flags};
    EXPECT_EQ(vmaf_model_load(&model, &config, version), 0);
  }
  ~LoadedModel() { vmaf_model_destroy(model); }
  LoadedModel(const LoadedModel&) = delete;
  VmafModel* model = nullptr;
};

}  // namespace acutance::libvmaf
