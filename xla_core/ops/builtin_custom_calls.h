// The custom-call targets that every registry starts with.
#ifndef XLA_CORE_OPS_BUILTIN_CUSTOM_CALLS_H_
#define XLA_CORE_OPS_BUILTIN_CUSTOM_CALLS_H_

#include <string>
#include <vector>

#include "xla_core/ops/custom_call_registry.h"

namespace xla {

struct BuiltinCustomCall {
  std::string name;
  CustomCallFunction function;
};

// lapack_{s,d,c,z}NAME_ffi, as JAX's CPU programs call them.
std::vector<BuiltinCustomCall> LapackCustomCalls();
// Those that XLA itself gives a meaning: TopK, Sharding, PadToStatic ...
std::vector<BuiltinCustomCall> XlaCustomCalls();

}  // namespace xla

#endif  // XLA_CORE_OPS_BUILTIN_CUSTOM_CALLS_H_
