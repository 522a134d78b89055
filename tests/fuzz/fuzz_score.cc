// Fuzz target: whole runs of `acutance score` over two short videos: --align, --crop, --scale, --frames and
// --subsample, a line each, with a file of pairs behind them.
#include "cli/score_args.h"
#include "run/score_run.h"
#include "tests/fuzz/clip.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  const int how = input.Byte();
  cli::ScoreTexts texts;
  texts.align = input.Line();
  texts.crop = input.Line();
  texts.scale = input.Line();
  texts.frames = input.Line();
  texts.subsample = 1 + input.Byte() % 3;
  std::string pairs;
  while (pairs.size() < 512 && !input.empty()) {
    const std::string line = input.Line();
    if (line == "-") break;
    pairs += line + "\n";
  }
  const fuzz::FileOf pairs_file(pairs, false);
  const std::string reference_clip = fuzz::ClipOf(input), distorted_clip = fuzz::ClipOf(input);
  // Pipes hold 64 KB here.
  const fuzz::FileOf reference(reference_clip, (how & 1) && reference_clip.size() < 60000);
  const fuzz::FileOf distorted(distorted_clip, (how & 2) && distorted_clip.size() < 60000);
  if (how & 4) texts.align = pairs_file.path();
  texts.reference = reference.path();
  texts.distorted = {distorted.path()};
  texts.no_model = true;
  texts.features = {"psnr"};
  texts.backend = "cpu";
  texts.threads = 1 + (how >> 6);
  const Result<cli::ScoreArgs> args = cli::ReadScoreArgs(texts);
  if (!args.ok()) return 0;
  if (args->size.width > 256 || args->size.height > 256) return 0;  // what users ask for may be large
  RunRequest request;
  request.reference = args->reference;
  request.distorted = args->distorted;
  request.features = args->features;
  request.threads = args->threads;
  request.read_ahead = (how & 8) != 0;
  request.subsample = args->subsample;
  request.skip_reference = request.skip_distorted = args->first_frame;
  request.frame_limit = args->frame_count;
  request.pairing = args->pairing;
  request.fit.size = args->size;
  request.fit.force = (how & 16) != 0;
  request.crop = args->crop;
  request.device = args->device;
  const ScoredRun run = RunScore(request);
  if (run.error && run.error->status.message().empty()) std::abort();
  if (!run.error && run.frames == 0) std::abort();
  for (const Alignment& alignment : run.alignments)
    if (!run.error && static_cast<int64_t>(alignment.pairs.size()) > 24) std::abort();
  return 0;
}
