#include "io/ffmpeg/random_access.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "io/ffmpeg/h264_bits.h"
#include "io/ffmpeg/nal_units.h"

namespace acutance {
namespace {

std::string_view TextOf(PacketBytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Parameter sets within the stream. A decoder that starts at a packet has the state of one from the first packet where
/// that packet repeats all sets before it.
class SetsInStream {
 public:
  void StartPacket() { here_.clear(); }
  void Add(PacketBytes set) {
    here_.emplace(TextOf(set));
    if (all_.size() < kMost) all_.emplace(TextOf(set));
  }
  bool has_all() const { return here_.size() == all_.size() && all_.size() < kMost; }

 private:
  static constexpr size_t kMost = 64;
  std::set<std::string, std::less<>> all_, here_;
};

constexpr const char* kSetsChange = "its parameter sets change";

/// The start of a slice's header (H.264, 7.3.3).
struct Slice {
  bool is_idr = false;
  bool is_field = false;
  bool drops_pictures = true;  // no_output_of_prior_pics_flag: those that were not shown before an IDR picture
};

class H264Access : public RandomAccess {
 public:
  explicit H264Access(PacketBytes extradata) : length_bytes_(H264LengthBytes(extradata)) {
    for (const H264Bytes set : H264AllSets(extradata)) NoteSet(set);
  }

  PacketRole Look(PacketBytes packet, bool /*is_key*/) override {
    sets_.StartPacket();
    NalUnits walk(packet, length_bytes_);
    for (;;) {
      const PacketBytes unit = walk.Next([](PacketBytes next) { return IsPicture(next); });
      if (unit.empty()) return {};
      if (IsPicture(unit)) return RoleOf(ReadSlice(unit));
      const int type = unit[0] & 31;
      if (type == kSequenceSet || type == kPictureSet) {
        sets_.Add(unit);
        NoteSet(unit);
      } else if (type == kMessages) {
        NoteEncoder(TextOf(unit));
      }
    }
  }

 private:
  static constexpr int kPartition = 2, kIdr = 5, kMessages = 6, kSequenceSet = 7, kPictureSet = 8;

  struct PictureSet {
    uint32_t sequence = 0;
    bool has_bottom_order = false;  // bottom_field_pic_order_in_frame_present_flag
    bool has_redundant = false;     // redundant_pic_cnt_present_flag
  };

  static bool IsPicture(PacketBytes unit) {
    const int type = unit[0] & 31;
    return type >= 1 && type <= kIdr && type != kPartition + 1 && type != kPartition + 2;
  }

  PacketRole RoleOf(const std::optional<Slice>& slice) {
    if (!slice) return {};
    if (slice->is_field) refusal_ = "its pictures are coded as fields";
    if (slice->is_idr && !sets_.has_all()) refusal_ = kSetsChange;
    return {.starts = refusal_.empty() && slice->is_idr && !slice->drops_pictures};
  }

  void NoteSet(PacketBytes unit) {
    if (unit.empty()) return;
    H264BitReader reader(unit);
    if ((unit[0] & 31) == kSequenceSet) {
      const H264SetStart set = PassH264SetStart(reader);
      constexpr uint32_t kMostBits = 16;
      if (!reader.past_end() && set.frame_number_bits <= kMostBits && set.order_bits <= kMostBits)
        sequences_[set.id] = set;
    } else if ((unit[0] & 31) == kPictureSet) {
      reader.Bits(8);  // NAL unit header
      const uint32_t id = reader.ExpGolomb();
      PictureSet set{.sequence = reader.ExpGolomb()};
      reader.Bit();  // entropy_coding_mode_flag
      set.has_bottom_order = reader.Bit() != 0;
      if (reader.ExpGolomb() != 0) return;  // slice groups, which FFmpeg does not decode
      reader.ExpGolomb();                   // numbers of references
      reader.ExpGolomb();
      reader.Bits(3);  // weights
      for (int i = 0; i < 3; ++i) reader.ExpGolomb();
      reader.Bits(2);  // deblocking, constrained prediction
      set.has_redundant = reader.Bit() != 0;
      if (!reader.past_end()) pictures_[id] = set;
    }
  }

  /// FFmpeg's decoder works around faults of early versions of x264, which one message at the start names.
  void NoteEncoder(std::string_view message) {
    constexpr std::string_view kName = "x264 - core ";
    constexpr int kLosslessMended = 151, kMended = 100;
    constexpr uint32_t kHigh444 = 244;
    const size_t found = message.find(kName);
    if (found == message.npos) return;
    int version = 0;
    std::from_chars(message.data() + found + kName.size(), message.data() + message.size(), version);
    const bool is_444 = std::ranges::any_of(sequences_, [](const auto& set) { return set.second.profile == kHigh444; });
    if (version < kMended || (version < kLosslessMended && is_444)) refusal_ = "an early x264 encoded it";
  }

  std::optional<Slice> ReadSlice(PacketBytes unit) const {
    constexpr size_t kMostBytes = 64;
    H264BitReader reader(unit.first(std::min(unit.size(), kMostBytes)));
    reader.Bits(8);      // NAL unit header
    reader.ExpGolomb();  // first_mb_in_slice
    reader.ExpGolomb();  // slice_type
    const auto picture = pictures_.find(reader.ExpGolomb());
    if (picture == pictures_.end()) return std::nullopt;
    const auto found = sequences_.find(picture->second.sequence);
    if (found == sequences_.end()) return std::nullopt;
    const H264SetStart& sequence = found->second;
    Slice slice{.is_idr = (unit[0] & 31) == kIdr};
    if (sequence.has_own_planes) reader.Bits(2);
    reader.Bits(static_cast<int>(sequence.frame_number_bits));
    if (!sequence.has_frames_alone) slice.is_field = reader.Bit() != 0;
    if (slice.is_field) reader.Bit();  // bottom_field_flag
    if (slice.is_idr) {
      reader.ExpGolomb();  // idr_pic_id
      const bool has_two = picture->second.has_bottom_order && !slice.is_field;
      if (sequence.order_type == 0) {
        reader.Bits(static_cast<int>(sequence.order_bits));
        if (has_two) reader.ExpGolomb();
      } else if (sequence.order_type == 1 && !sequence.order_is_always_zero) {
        for (int i = 0; i < (has_two ? 2 : 1); ++i) reader.ExpGolomb();
      }
      if (picture->second.has_redundant) reader.ExpGolomb();
      slice.drops_pictures = reader.Bit() != 0;
    }
    return reader.past_end() ? std::nullopt : std::optional(slice);
  }

  const size_t length_bytes_;
  SetsInStream sets_;
  std::map<uint32_t, H264SetStart> sequences_;
  std::map<uint32_t, PictureSet> pictures_;
};

/// Pictures that lead a CRA picture, RASL ones, need what came before it.
class HevcAccess : public RandomAccess {
 public:
  explicit HevcAccess(PacketBytes extradata) : length_bytes_(HevcLengthBytes(extradata)) {}

  PacketRole Look(PacketBytes packet, bool /*is_key*/) override {
    sets_.StartPacket();
    NalUnits walk(packet, length_bytes_);
    for (;;) {
      const PacketBytes unit = walk.Next([](PacketBytes next) { return IsPicture(next); });
      if (unit.size() < 3) return {};
      if (IsPicture(unit)) return RoleOf(unit);
      if (TypeOf(unit) >= kFirstSet && TypeOf(unit) <= kLastSet) sets_.Add(unit);
    }
  }

 private:
  static constexpr int kFirstLeading = 6, kLastLeading = 9, kFirstIdr = 19, kLastIdr = 20, kCra = 21, kLastPicture = 31,
                       kFirstSet = 32, kLastSet = 34;
  static int TypeOf(PacketBytes unit) { return unit[0] >> 1 & 63; }

  /// In the base layer: others are not decoded.
  static bool IsPicture(PacketBytes unit) {
    return unit.size() > 2 && TypeOf(unit) <= kLastPicture && (unit[0] & 1) == 0 && unit[1] >> 3 == 0;
  }

  PacketRole RoleOf(PacketBytes unit) {
    const int type = TypeOf(unit);
    const bool is_idr = type == kFirstIdr || type == kLastIdr;
    if ((is_idr || type == kCra) && !sets_.has_all()) refusal_ = kSetsChange;
    const bool drops_pictures = unit[2] & 0x40;  // no_output_of_prior_pics_flag; a CRA picture's has no meaning here
    return {.starts = refusal_.empty() && (type == kCra || (is_idr && !drops_pictures)),
            .is_open = type == kCra,
            .is_leading = type >= kFirstLeading && type <= kLastLeading};
  }

  const size_t length_bytes_;
  SetsInStream sets_;
};

}  // namespace

std::unique_ptr<RandomAccess> MakeH264Access(PacketBytes extradata) { return std::make_unique<H264Access>(extradata); }

std::unique_ptr<RandomAccess> MakeHevcAccess(PacketBytes extradata) { return std::make_unique<HevcAccess>(extradata); }

}  // namespace acutance
