#include "python/core/errors.h"

namespace nb = nanobind;

namespace acutance::python {
namespace {

const char* ClassOf(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
    case StatusCode::kInvalidArgument:
      return "InvalidArgumentError";
    case StatusCode::kNotFound:
      return "NotFoundError";
    case StatusCode::kBadData:
      return "BadDataError";
    case StatusCode::kUnsupported:
      return "UnsupportedError";
    case StatusCode::kNoDevice:
      return "NoDeviceError";
    case StatusCode::kIo:
      return "IoError";
    case StatusCode::kOutOfMemory:
      return "OutOfMemoryError";
    case StatusCode::kCancelled:
      return "CancelledError";
  }
  return "AcutanceError";
}

[[noreturn]] void RaiseClass(const char* name, const std::string& message) {
  const nb::object type = nb::module_::import_("acutance._errors").attr(name);
  // A message may hold a file name that is not UTF-8.
  const auto text =
      nb::steal(PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace"));
  PyErr_SetObject(type.ptr(), text.ptr());
  throw nb::python_error();
}

}  // namespace

void Raise(const Status& status) { RaiseClass(ClassOf(status.code()), status.message()); }
void RaiseArgument(const std::string& message) { RaiseClass("InvalidArgumentError", message); }
void RaiseSession(const std::string& message) { RaiseClass("SessionError", message); }

}  // namespace acutance::python
