// What a journal says of its run: enough to tell runs apart, and to make the logs without the videos.
#pragma once

#include "base/status.h"
#include "image/picture.h"
#include "run/journal.h"
#include "run/score_run.h"

namespace acutance {

/// The videos must be regular files.
Result<JournalHeader> DescribeRun(const RunRequest& request, const PictureFormat& format);

/// What DescribeRun was given, as far as scores and logs depend on it. Loads the models, which must be what they were.
struct DescribedRun {
  RunRequest request;
  PictureFormat format;
};
Result<DescribedRun> ReadRun(const JournalHeader& header);

}  // namespace acutance
