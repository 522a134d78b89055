// Helpers for errors as values: formatted messages, early returns.
#pragma once

#include <acutance/status.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace acutance {

template <class T>
using Result = Expected<T>;

/// Error(StatusCode::kIo, "could not open {}: {}", path, reason)
template <class... Args>
Status Error(StatusCode code, fmt::format_string<Args...> format, Args&&... args) {
  return {code, fmt::format(format, std::forward<Args>(args)...)};
}

/// The same error, with what it concerns before its message: "feature psnr: ..."
inline Status Prefixed(std::string_view prefix, const Status& status) {
  return {status.code(), fmt::format("{}: {}", prefix, status.message())};
}

}  // namespace acutance

#define ACU_CONCAT_INNER(a, b) a##b
#define ACU_CONCAT(a, b) ACU_CONCAT_INNER(a, b)

#define ACU_RETURN_IF_ERROR(expr)                                                    \
  do {                                                                               \
    if (::acutance::Status acu_status = (expr); !acu_status.ok()) return acu_status; \
  } while (0)

#define ACU_ASSIGN_OR_RETURN(decl, expr) ACU_ASSIGN_OR_RETURN_INNER(ACU_CONCAT(acu_result_, __LINE__), decl, expr)
#define ACU_ASSIGN_OR_RETURN_INNER(tmp, decl, expr) \
  auto tmp = (expr);                                \
  if (!tmp.ok()) return tmp.status();               \
  decl = std::move(tmp).value()
