// RETURN_IF_ERROR and ASSIGN_OR_RETURN: Abseil's LTS has the types but not the macros.
#ifndef XLA_CORE_SUPPORT_STATUS_MACROS_H_
#define XLA_CORE_SUPPORT_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define HALO_CONCAT_INNER_(a, b) a##b
#define HALO_CONCAT_(a, b) HALO_CONCAT_INNER_(a, b)

// Returns from the enclosing function if `expr` (an absl::Status) is not OK.
#define RETURN_IF_ERROR(expr)                    \
  do {                                           \
    absl::Status halo_status_ = (expr);          \
    if (!halo_status_.ok()) return halo_status_; \
  } while (0)

// Evaluates `expr` (an absl::StatusOr), returns its error or assigns its value to `lhs`, which may be a declaration.
#define ASSIGN_OR_RETURN(lhs, expr) HALO_ASSIGN_OR_RETURN_IMPL_(HALO_CONCAT_(halo_statusor_, __LINE__), lhs, expr)
#define HALO_ASSIGN_OR_RETURN_IMPL_(statusor, lhs, expr)   \
  auto statusor = (expr);                                  \
  if (!statusor.ok()) return std::move(statusor).status(); \
  lhs = *std::move(statusor)

#endif  // XLA_CORE_SUPPORT_STATUS_MACROS_H_
