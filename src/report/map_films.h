// Loss maps of all frames of a run: videos and arrays.
#pragma once

#include <memory>
#include <string>

#include "run/score_run.h"

namespace acutance {

/// Writes for each map NAME.mkv, the encode in gray with its losses over it, and NAME.npy, an array of frames x rows x
/// columns; with several distorted videos the names are video<n>_NAME. Colors reach white at the greatest loss of a
/// block so far. `threads` frames are worked on at once.
std::shared_ptr<FrameObserver> MakeMapFilms(std::string folder, int threads);

}  // namespace acutance
