// Bound of a run: the stage that it waited for most, and the option that would make it faster.
#pragma once

#include <string>
#include <string_view>

#include "base/time_sum.h"
#include "engine/session.h"
#include "video/pair_reader.h"

namespace acutance {

struct RunRequest;
struct ScoredRun;

enum class Stage { kReading, kDecoding, kConverting, kUploading, kCpu, kDevice, kWriting };

/// "reading", "decoding", "converting", "uploading", "scoring", "device" or "writing".
std::string_view NameOf(Stage stage);

struct RunBound {
  Stage stage = Stage::kCpu;
  std::string path{};       // of the video that is read, decoded or converted
  bool is_changed = false;  // that is converted, too
  double seconds = 0;
  std::string option{};  // "--threads 8"; empty: none that would help
};

/// The thread that feeds a session waits for the slower side: for pictures in PairReader::Next, or for frames that are
/// being scored.
struct FeedTimes {
  TimeSum scoring;  // in Session::Add and Flush
  TimeSum writing;  // what observers do with a frame
};

/// reader: closed. run: its inputs and seconds are known.
RunBound FindBound(const RunRequest& request, const ScoredRun& run, const Session& session, const PairReader& reader,
                   const FeedTimes& feed);

}  // namespace acutance
