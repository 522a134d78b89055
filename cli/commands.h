// The commands of `acutance`: their arguments, and functions that run them and return the exit status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/score_request.h"
#include "devices/backends.h"
#include "report/fit/train_model.h"
#include "run/score_run.h"

namespace acutance::cli {

/// `score`: 0 every frame was scored, 1 the run failed, 3 a requirement does not hold, 130 after Ctrl-C.
int RunScoreCommand(const ScoreRequest& request);

/// `score --at-least N`: 0 the mean reaches the bound, 3 it does not, 1 the run failed, 130 after Ctrl-C. Scores only
/// as many frames as needed.
int RunMeanGate(const ScoreRequest& score);

struct EncodesTexts {
  ScoreRequest score;  // a ladder's distorted videos are curves
  std::string by;      // the score that is compared; empty: the first model's
  std::string anchor;
  std::string ctc;
  std::string points;
  std::string method;  // of `bd`: empty, all of kCurveMethods; or "avm"
  bool json = false;   // of `bd`
};

/// `compare`, `ladder`: several encodes of one reference, which is read once. `bd`: known points.
int RunCompareCommand(EncodesTexts& texts);
int RunLadderCommand(EncodesTexts& texts);
int RunBdCommand(const EncodesTexts& texts);

struct LookTexts {
  std::optional<int64_t> at;  // frame; not set: the worst ones
};

/// `look`: sets what a run needs for the page, and shows it.
Status PrepareLook(const LookTexts& texts, ScoreRequest& request);
int RunLookCommand(const ScoreRequest& request);

struct CtcTexts {
  std::vector<std::string> releases, anchors;  // DIR or TAG=DIR
  std::string references;                      // folder of the videos that encodes are scored against
  std::string version = "v7.0";                // of AOM's test conditions
  int jobs = 0;                                // as in BatchTexts
  bool quiet = false;
  std::string output = ".";
  std::string name = "AV1-vs-AV2";
  std::string refused = "empty";     // or "zero"
  std::vector<std::string> options;  // of `acutance score`
};

/// `ctc`: scores an encoder's releases by AVM's common test conditions, and makes AVM's tables of their BD-rates.
int RunCtcCommand(const CtcTexts& texts);

struct FitTexts {
  std::string opinions;  // CSV
  std::string scores;    // the folder of a batch; empty: none
  std::string train;     // the model's file; empty: none
  TrainingOptions training;
  bool json = false;
};

/// `fit`: how well scores agree with opinions; trains a model on features.
int RunFitCommand(const FitTexts& texts);

struct BatchTexts {
  std::string list;
  std::string out;
  int jobs = 0;  // pairs at a time; 0: as many as fill the machine
  bool retry = false;
  bool quiet = false;
  std::string scores = {};           // file of all frames' scores; empty: none
  std::string report = {};           // HTML file that shows all pairs; empty: none
  std::vector<std::string> options;  // of `acutance score`
};

/// `batch`, several pairs at a time: 0 all were scored, 1 one failed, 3 a gate did not hold, 130 after Ctrl-C.
int RunBatchCommand(BatchTexts texts);

struct ServeTexts {
  std::string socket;
  uint64_t max_memory = 0;           // bytes; 0: half of what the machine has left
  std::optional<uint64_t> max_vram;  // bytes of each device; not set: half of what is free
  bool quiet = false;
};

/// `serve`, until Ctrl-C or SIGTERM.
int RunServeCommand(const ServeTexts& texts);

/// `join`: the logs of a run from the journals of its parts. It reads only the options of logs in `request`.
int RunJoinCommand(const std::vector<std::string>& journals, ScoreRequest& request);

struct VerifyTexts {
  std::string file;  // a receipt, a summary with one, or a log
  RunRequest run = DefaultRequest();
  bool full = false;
  double touched = 1;        // percent of the frames
  double confidence = 99.9;  // percent
  std::optional<uint64_t> seed;
  bool json = false;
};

/// `verify`: 0 the videos give these scores, 1 they give others, 2 it cannot be checked.
int RunVerifyCommand(const VerifyTexts& texts);

struct DiffTexts {
  std::string before, after;  // summaries, logs or journals
  std::string by;
  std::string segments;
  std::optional<double> fps;
  std::optional<double> worse_than;
  bool json = false, markdown = false;
};

/// `diff`: 0, 1 a mean is worse by more than allowed, 2 the files cannot be compared.
int RunDiffCommand(const DiffTexts& texts);

struct DoctorTexts {
  std::string reference;
  std::string distorted;
  RunRequest run;     // for its raw format
  std::string model;  // that is meant to score them; empty: chosen
  std::string viewing;
  bool json = false;
};

/// `doctor`: prints what is wrong with a pair; 0 also where there are findings.
int RunDoctorCommand(DoctorTexts texts);

/// `devices`: every backend with its devices, or why there is none and what to install.
std::string DescribeDevices();

/// `selftest`: tests every device of the chosen backend (auto: of all backends), also those that passed before, and
/// stores the outcome. `report`: a file for what the owner of a device may send to us: the devices, their drivers, the
/// tests, and the time that each feature takes; empty: none. 1 if a test failed, there is no device or the report could
/// not be written.
int RunSelfTestCommand(const DeviceChoice& choice, const std::string& report);

/// `tune`: prints, for each feature and workload class, the block shapes and batches from the fastest on, and the
/// entries for the feature's tuning table. `features`: names of those to time; empty: all with a device plan.
int RunTuneCommand(const DeviceChoice& choice, const std::vector<std::string>& features);

struct ParityArgs {
  std::string reference;
  std::string distorted;
  std::vector<std::string> features;  // as after --feature; empty: every feature that has a device plan
  std::vector<std::string> backends;  // empty: all with a device, except the emulator
  int places = -1;                    // decimal places that must agree; -1: every bit
  RunRequest run;                     // for its raw format
  int64_t frames = 0;                 // 0: all
  int threads = 1;
};

/// `parity`: prints the largest absolute difference to the CPU, by feature and backend: 0 all within the bound, 1 not,
/// or a run failed.
int RunParityCommand(ParityArgs args);

struct ConformTexts {
  std::vector<std::string> tool;  // what follows --: a program and its own arguments
  std::string library;            // a libvmaf shared library
  std::string cpumask = "0";      // of the library
  std::string backend;            // of this installation's `vmaf`
  std::vector<std::string> only;  // clips, metrics or items; empty: all
  std::string junit;              // a file; empty: none
  std::string record;             // a file for new golden values; empty: none
  std::string clips;              // a folder for the clips; empty: none
  double tolerance = 0;
  int jobs = 0;  // runs at a time; 0: as many as there are cores
  bool json = false;
  bool quiet = false;
};

/// `conform`: compares a program's scores of generated clips with golden values: 0 all are equal, 1 not.
int RunConformCommand(const ConformTexts& texts);

/// The command by which `conform --library` runs a library in a process of its own: argv[1], before the library.
inline constexpr std::string_view kLibraryToolCommand = "conform-library";
int RunLibraryToolCommand(int argc, char** argv);

struct ExplainTexts {
  std::string log, reference, distorted;
  std::string score;  // of the whole clip, as it was stated; empty: none
  RunRequest run;     // for its raw format
  bool json = false;
};

/// `explain`: prints how a log of another tool was made: 0 the cause is known, 1 not.
int RunExplainCommand(ExplainTexts texts);

struct PlanRequest {
  std::string feature;          // as after --feature
  RunRequest run;               // its raw format is that of the pictures
  int batch = 0;                // 0: as the tuning table says
  std::string backend = "emu";  // the tuning is that of its first device
  std::string dump;             // a folder for the compiled kernels; empty: none
};

/// `plan`: buffers, launches, arguments and borders of a feature.
Result<std::string> DescribePlan(PlanRequest request);

}  // namespace acutance::cli
