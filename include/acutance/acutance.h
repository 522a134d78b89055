// acutance's C++ API: Session, Picture, Model, Result, Score, FrameScorer. Errors are values; nothing here throws,
// except when memory runs out.
//
// Names are in the namespace acutance. Types that the engine shares are declared directly in it (status.h, format.h,
// facts.h, pooling.h, ...). Classes and functions that the library exports are declared in the nested namespace api,
// because the engine has classes of the same names; this header makes them visible in acutance.
#pragma once

#include <acutance/alignment.h>
#include <acutance/catalog.h>
#include <acutance/facts.h>
#include <acutance/format.h>
#include <acutance/frame_scorer.h>
#include <acutance/model.h>
#include <acutance/picture.h>
#include <acutance/pooling.h>
#include <acutance/result.h>
#include <acutance/run.h>
#include <acutance/score.h>
#include <acutance/session.h>
#include <acutance/status.h>

namespace acutance {
using namespace api;
}
