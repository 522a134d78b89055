// acutance's C++ API: Session, Picture, Model, Result. Errors are values; nothing here throws,
// except when memory runs out.
#pragma once

#include <acutance/catalog.h>
#include <acutance/model.h>
#include <acutance/picture.h>
#include <acutance/result.h>
#include <acutance/score.h>
#include <acutance/session.h>
#include <acutance/status.h>

namespace acutance {
using namespace api;  // users write acutance::Session
}
