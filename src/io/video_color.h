// What a video says about its samples' meaning, as far as that decides whether two videos compare.
#pragma once

#include <optional>
#include <string_view>

namespace acutance {

/// The curve from light to samples. kSdr: any of those for standard dynamic range.
enum class Transfer { kUnknown, kSdr, kPq, kHlg };

inline constexpr std::string_view kTransferNames[] = {"unknown", "SDR", "HDR by PQ", "HDR by HLG"};

/// How luma and chroma are made of red, green and blue. kRgb: they are not.
enum class Matrix { kUnknown, kBt709, kBt601, kBt2020, kSmpte240, kFcc, kRgb, kOther };

inline constexpr std::string_view kMatrixNames[] = {"unknown",   "BT.709", "BT.601", "BT.2020",
                                                    "SMPTE 240", "FCC",    "RGB",    "another"};

/// Which colors red, green and blue are.
enum class Primaries { kUnknown, kBt709, kNtsc, kPal, kBt2020, kP3, kOther };

inline constexpr std::string_view kPrimariesNames[] = {
    "unknown", "BT.709", "BT.601 (525 lines)", "BT.601 (625 lines)", "BT.2020", "P3", "other"};

struct VideoColor {
  std::optional<bool> full_range{};  // samples use all values, not 16 to 235 or 240 of 256; not set: unknown
  Transfer transfer = Transfer::kUnknown;
  Matrix matrix = Matrix::kUnknown;
  Primaries primaries = Primaries::kUnknown;

  bool is_hdr() const { return transfer == Transfer::kPq || transfer == Transfer::kHlg; }
};

inline std::string_view NameOf(Transfer transfer) { return kTransferNames[static_cast<int>(transfer)]; }
inline std::string_view NameOf(Matrix matrix) { return kMatrixNames[static_cast<int>(matrix)]; }
inline std::string_view NameOf(Primaries primaries) { return kPrimariesNames[static_cast<int>(primaries)]; }

}  // namespace acutance
