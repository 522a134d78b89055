// Verification of receipts and logs: scores a random sample of frames again, or all (docs/use/trust.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "log/read/score_log.h"
#include "run/score_run.h"

namespace acutance {

struct VerifyOptions {
  bool full = false;          // all frames, and the hashes of samples and scores
  double touched = 0.01;      // share of wrong frames that the sample finds
  double confidence = 0.999;  // with this probability
  uint64_t seed = 1;          // of the sample: a forger must not know it
};

struct Verification {
  /// Sentences, the first difference first; empty: there is none.
  std::vector<std::string> differences;
  std::vector<std::string> unchecked;  // what it claims and this run does not compute, such as scores of other metrics
  std::vector<std::string> notes;
  std::string subject;  // what holds or not: "receipt.json" with its line
  int64_t frames = 0, checked = 0;
  uint64_t seed = 0;
  double confidence = 1;  // that a log with that share of wrong frames is found
};

/// How many of `frames` frames must be looked at, so that one of ceil(frames * touched) wrong ones is among them with
/// the wanted probability.
int64_t SampleSize(int64_t frames, const VerifyOptions& options);
/// That probability.
double ChanceToFind(int64_t frames, int64_t sample, double touched);

/// request: where to compute, and the videos where they do not lie at the receipt's paths. An error: the videos cannot
/// be scored, which says nothing about the receipt.
Result<Verification> VerifyReceipt(const std::string& path, const Json& receipt, RunRequest request,
                                   const VerifyOptions& options);

/// request: the videos and the options of the log's run; where it names no models, the built-in one whose scores the
/// log has is found.
Result<Verification> VerifyLog(const ScoreLog& log, RunRequest request, const VerifyOptions& options);

/// The receipt in a document of `acutance score`: the document itself, or its member. Null: there is none.
const Json* FindReceipt(const Json& document);

}  // namespace acutance
