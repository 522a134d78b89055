// Exceptions become errors where work of ours begins: at the top of a thread, in a callback from C, in a destructor.
#pragma once

#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "base/status.h"

namespace acutance {

/// The exception that is being handled. Where there is no memory for a message, the error has a shorter one.
inline Status StatusFromException() noexcept {
  constexpr const char* kShort = "out of memory";  // it fits into a string without an allocation
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      return Error(StatusCode::kOutOfMemory, "not enough memory; use fewer threads, or set a limit on memory");
    } catch (const std::system_error& error) {
      return Error(StatusCode::kOutOfMemory, "the system refuses: {}; use fewer threads", error.what());
    } catch (const std::exception& error) {
      return Error(StatusCode::kIo, "unexpected failure: {}", error.what());
    }
  } catch (...) {
    return {StatusCode::kOutOfMemory, kShort};
  }
}

/// Runs `body`, which returns a Status; its exception is an error.
template <class Body>
Status CatchExceptions(Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    return StatusFromException();
  }
}

/// Runs `body`, which returns a Result; its exception is an error.
template <class Value, class Body>
Result<Value> CatchExceptionsResult(Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    return StatusFromException();
  }
}

/// Starts a thread; a system that has no more of them is an error.
template <class Body>
Status StartThread(std::thread& thread, Body&& body) noexcept {
  return CatchExceptions([&] {
    thread = std::thread(std::forward<Body>(body));
    return Status();
  });
}

}  // namespace acutance
