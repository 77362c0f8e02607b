// Collects elements that are spread over an array, and spreads them again; offsets count elements.
#ifndef XLA_CORE_OPS_GATHER_ELEMENTS_H_
#define XLA_CORE_OPS_GATHER_ELEMENTS_H_

#include <cstdint>

#include "xla_core/types/primitive_type.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {

// to[i] = from[offsets[i]]
inline void GatherElements(PrimitiveType type, const void* from, const int64_t* offsets, int64_t n, void* to) {
  DispatchByWidth(type, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    for (int64_t i = 0; i < n; ++i) static_cast<T*>(to)[i] = static_cast<const T*>(from)[offsets[i]];
  });
}

// to[offsets[i]] = from[i]
inline void ScatterElements(PrimitiveType type, const void* from, const int64_t* offsets, int64_t n, void* to) {
  DispatchByWidth(type, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    for (int64_t i = 0; i < n; ++i) static_cast<T*>(to)[offsets[i]] = static_cast<const T*>(from)[i];
  });
}

}  // namespace xla

#endif  // XLA_CORE_OPS_GATHER_ELEMENTS_H_
