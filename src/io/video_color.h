// What a video says about its samples' meaning, as far as that decides whether two videos compare.
#pragma once

#include <optional>
#include <string_view>

namespace acutance {

/// The curve from light to samples. kSdr: any of those for standard dynamic range.
enum class Transfer { kUnknown, kSdr, kPq, kHlg };

inline constexpr std::string_view kTransferNames[] = {"unknown", "SDR", "HDR by PQ", "HDR by HLG"};

struct VideoColor {
  std::optional<bool> full_range{};  // samples use all values, not 16 to 235 or 240 of 256; not set: unknown
  Transfer transfer = Transfer::kUnknown;

  bool is_hdr() const { return transfer == Transfer::kPq || transfer == Transfer::kHlg; }
};

}  // namespace acutance
