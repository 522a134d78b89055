// Receipt of a run: what was scored, how, and with which result, as hashes that others can check (docs/use/trust.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "report/run_view.h"
#include "report/summary.h"

namespace acutance {

/// A file's length and the SHA-256 of its bytes: of all up to `most`, else of pieces of 64 KiB from all over the file.
struct FileHash {
  uint64_t bytes = 0, hashed = 0;
  std::string sha256;
};
/// nullopt: no regular file, or it cannot be read.
std::optional<FileHash> HashFile(const std::string& path, uint64_t most);

/// The bytes of each file that a receipt of `frames` pictures hashes: all of an encode, a part of uncompressed video,
/// whose samples are hashed anyway.
uint64_t MostHashed(int64_t frames, int width, int height);

/// The SHA-256 of a model's JSON; empty: it has none, or the file cannot be read.
std::string HashModel(const std::string& source);

/// The SHA-256 of a column's scores, each as the 8 bytes of a double and, where there is none, of a quiet NaN.
std::string HashScores(std::span<const std::optional<double>> scores);

/// Without the members `sha256` and `lines`, which SealReceipt adds. Null where the run hashed no samples.
Json MakeReceipt(const Summary& summary, const RunView& view);

/// The scores of each frame, by distorted video and column, for `--receipt`: those of the models, or of all features
/// where there is no model.
void AddFrameScores(const Summary& summary, Json& receipt);

/// Adds the hash of the canonical JSON (RFC 8785) of all other members but the scores of frames, whose hashes are in
/// it; and a line for a quotation of each result.
void SealReceipt(Json& receipt);

/// Removes a member of an object, where it has it.
void RemoveMember(std::string_view key, Json& object);

/// The hash that SealReceipt gives.
std::string HashReceipt(Json receipt);

/// "vmaf_v0.6.1 93.41 [93.2, 93.6], 960x540 bicubic to 1920x1080, 480 pairs, +0, acutance 1.0 sha256:0123456789abcdef"
std::string ReceiptLine(const Json& receipt, size_t video);

/// Those of a summary's receipt; empty: it has none.
std::vector<std::string> ReceiptLines(const Summary& summary);

}  // namespace acutance
