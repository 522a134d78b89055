// Fuzz target: whole runs of `acutance score` over two short videos: --align, --crop, --scale, --frames and
// --subsample, a line each, with a file of pairs behind them.
#include <string>
#include <utility>
#include <vector>

#include "run/run_options.h"
#include "run/score_run.h"
#include "tests/fuzz/clip.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

ACU_FUZZ_TARGET(input) {
  const int how = input.Byte();
  std::string align = input.Line();
  std::vector<std::pair<const char*, std::string>> texts;
  for (const char* name : {"crop", "scale", "frames"}) texts.emplace_back(name, input.Line());
  texts.emplace_back("subsample", std::to_string(1 + input.Byte() % 3));
  std::string pairs;
  while (pairs.size() < 512 && !input.empty()) {
    const std::string line = input.Line();
    if (line == "-") break;
    pairs += line + "\n";
  }
  const fuzz::FileOf pairs_file(pairs);
  const std::string reference_clip = fuzz::ClipOf(input), distorted_clip = fuzz::ClipOf(input);
  // FileOf's pipes hold 64 KB.
  const fuzz::FileOf reference(reference_clip, (how & 1) && reference_clip.size() < 60000);
  const fuzz::FileOf distorted(distorted_clip, (how & 2) && distorted_clip.size() < 60000);
  if (how & 4) align = pairs_file.path();
  texts.insert(texts.end(), {{"align", align},
                             {"no-model", "true"},
                             {"feature", "psnr"},
                             {"backend", "cpu"},
                             {"threads", std::to_string(1 + (how >> 6))},
                             {"force", (how & 16) != 0 ? "true" : "false"}});
  RunRequest request = DefaultRequest();
  for (const auto& [name, text] : texts)
    if (!ReadOption(*FindRunOption(name), text, OptionStyle::kCommand, request).ok()) return;
  if (!CompleteRequest(request).ok()) return;
  if (request.fit.size->width > 256 || request.fit.size->height > 256) return;  // a target lacks the memory
  request.reference = reference.path();
  request.distorted = {distorted.path()};
  request.read_ahead = (how & 8) != 0;
  const ScoredRun run = RunScore(request);
  if (run.error && run.error->status.message().empty()) std::abort();
  if (!run.error && run.frames == 0) std::abort();
  for (const Alignment& alignment : run.alignments)
    if (!run.error && static_cast<int64_t>(alignment.pairs.size()) > 24) std::abort();
}
