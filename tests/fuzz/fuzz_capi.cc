// Fuzz target: sequences of calls of libvmaf's C API, each a byte followed by those of its arguments.
#include <libvmaf/libvmaf.h>

#include <array>
#include <cstring>
#include <iterator>

#include "tests/fuzz/fuzz.h"

using acutance::fuzz::Input;

namespace {

constexpr const char* kFeatures[] = {"psnr", "float_motion", "motion", "vif", "adm", "integer_psnr", "nothing", ""};
constexpr const char* kOptions[] = {"enable_chroma", "enable_mse",          "motion_force_zero", "vif_enhn_gain_limit",
                                    "debug",         "adm_enhn_gain_limit", "min_sse",           ""};
constexpr const char* kValues[] = {"true", "false", "1", "1.2", "-1", "1e300", "nan", ""};
constexpr const char* kModels[] = {"vmaf_v0.6.1", "vmaf_4k_v0.6.1neg", "vmaf_v0.6.1neg", "vmaf"};
constexpr const char* kColumns[] = {"psnr_y", "VMAF_integer_feature_motion2_score", "vmaf", "mine"};

template <size_t N>
const char* Choose(const char* const (&texts)[N], Input& input) {
  return texts[input.Byte() % N];
}

/// The handles of a program, and the calls that it makes with them.
class Program {
 public:
  explicit Program(Input input) : input_(input) {}
  ~Program() {
    Close();
    vmaf_feature_dictionary_free(&dictionary_);
    Drop();
  }
  Program(const Program&) = delete;

  void Run() {
    constexpr int kMostCalls = 48;
    for (int call = 0; call < kMostCalls && !input_.empty(); ++call)
      (this->*kCalls[input_.Byte() % std::size(kCalls)])();
  }

 private:
  void UseModel() { vmaf_use_features_from_model(context_, model_); }
  void Unref() { vmaf_picture_unref(&Picture()); }
  void Flush() { vmaf_read_pictures(context_, nullptr, nullptr, 0); }
  void Import() { vmaf_import_feature_score(context_, Choose(kColumns, input_), input_.Byte(), input_.Byte()); }
  void Write() { vmaf_write_output(context_, "/dev/null", static_cast<VmafOutputFormat>(input_.Byte() % 6)); }

  void Open() {
    if (context_) return;
    VmafConfiguration config = {VMAF_LOG_LEVEL_NONE, input_.Byte() % 4u, input_.Byte() % 5u, 0, 1};
    if (vmaf_init(&context_, config) != 0) context_ = nullptr;
    next_ = 0;
  }

  void Close() {
    for (VmafPicture& picture : pictures_)
      if (picture.ref) vmaf_picture_unref(&picture);
    pictures_ = {};
    if (context_) vmaf_close(context_);
    context_ = nullptr;
  }

  void Drop() {
    if (model_ && owns_model_) vmaf_model_destroy(model_);
    model_ = nullptr;
  }

  /// Mostly a model that was loaded before: parsing takes longer than all other calls, and has a target of its own.
  void Load() {
    static VmafModel* const shared = LoadOne(0, "vmaf_v0.6.1");
    Drop();
    const uint8_t flags = input_.Byte();
    const char* name = Choose(kModels, input_);
    owns_model_ = flags >= 192;
    model_ = owns_model_ ? LoadOne(flags, name) : shared;
  }

  static VmafModel* LoadOne(uint64_t flags, const char* name) {
    VmafModel* model = nullptr;
    VmafModelConfig config = {"vmaf", flags};
    return vmaf_model_load(&model, &config, name) == 0 ? model : nullptr;
  }

  void SetOption() {
    const char* name = Choose(kOptions, input_);
    vmaf_feature_dictionary_set(&dictionary_, name, Choose(kValues, input_));
  }

  void UseFeature() {
    // Where it succeeds, the dictionary is taken.
    if (vmaf_use_feature(context_, Choose(kFeatures, input_), dictionary_) == 0) dictionary_ = nullptr;
  }

  VmafPicture& Picture() { return pictures_[input_.Byte() % pictures_.size()]; }

  void Allocate() {
    VmafPicture& picture = Picture();
    if (picture.ref) return;
    const auto format = static_cast<VmafPixelFormat>(input_.Byte() % 6);
    const unsigned depth = 6u + input_.Byte() % 12, width = input_.Byte() % 64, height = input_.Byte() % 64;
    if (vmaf_picture_alloc(&picture, format, depth, width, height) != 0) picture = {};
    Fill(picture);
  }

  void Fill(VmafPicture& picture) {
    const int value = input_.Byte();
    if (!picture.ref) return;
    for (int p = 0; p < 3; ++p)
      if (picture.data[p]) std::memset(picture.data[p], value, static_cast<size_t>(picture.stride[p]) * picture.h[p]);
  }

  void Read() {
    VmafPicture &first = Picture(), &second = Picture();
    const bool next = input_.Byte() % 8 != 0;
    if (vmaf_read_pictures(context_, &first, &second, next ? next_ : input_.Byte()) == 0) ++next_;
  }

  void Score() {
    double score = 0;
    const unsigned index = input_.Byte() % 8;
    if (model_) vmaf_score_at_index(context_, model_, &score, index);
    vmaf_feature_score_at_index(context_, Choose(kColumns, input_), &score, index);
  }

  void Pool() {
    double score = 0;
    const auto method = static_cast<VmafPoolingMethod>(input_.Byte() % 7);
    const unsigned low = input_.Byte() % 8, high = input_.Byte() % 8;
    if (model_) vmaf_score_pooled(context_, model_, method, &score, low, high);
    vmaf_feature_score_pooled(context_, Choose(kColumns, input_), method, &score, low, high);
  }

  /// From a pool of as many as there are handles: fetching waits until another thread gives a picture back.
  void Prefetch() {
    const unsigned count = input_.Byte() % 4 == 0 ? 0 : static_cast<unsigned>(pictures_.size());
    const unsigned width = 16 + input_.Byte() % 32, height = 16 + input_.Byte() % 32;
    vmaf_preallocate_pictures(context_, {{width, height, 8, VMAF_PIX_FMT_YUV420P}, count});
    VmafPicture& picture = Picture();
    if (!picture.ref && vmaf_fetch_preallocated_picture(context_, &picture) != 0) picture = {};
  }

  using CallFunction = void (Program::*)();
  static constexpr CallFunction kCalls[] = {
      &Program::Open,       &Program::Close,    &Program::Load,  &Program::UseModel, &Program::SetOption,
      &Program::UseFeature, &Program::Allocate, &Program::Unref, &Program::Read,     &Program::Read,
      &Program::Read,       &Program::Flush,    &Program::Score, &Program::Pool,     &Program::Import,
      &Program::Prefetch,   &Program::Write};

  Input input_;
  VmafContext* context_ = nullptr;
  VmafModel* model_ = nullptr;
  bool owns_model_ = false;
  VmafFeatureDictionary* dictionary_ = nullptr;
  std::array<VmafPicture, 4> pictures_{};
  unsigned next_ = 0;
};

}  // namespace

ACU_FUZZ_TARGET(input) { Program(input).Run(); }
