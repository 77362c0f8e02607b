// Between arguments or results, which may be tuples, and the list of their leaves that files and specs refer to.
#ifndef XLA_CORE_LITERAL_IO_LEAVES_H_
#define XLA_CORE_LITERAL_IO_LEAVES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/types/literal.h"

namespace xla {

// The leaves of `shapes` in order, tokens included.
std::vector<Shape> LeafShapes(absl::Span<const Shape> shapes);

// The leaves of a value in order, sharing its storage; tokens included.
std::vector<Literal> FlattenLeaves(const Literal& value);

// The reverse: values of the given shapes from leaves in order, which must be as many as LeafShapes says.
std::vector<Literal> UnflattenLeaves(absl::Span<const Shape> shapes, std::vector<Literal> leaves);

// "out3", or "r1_out3" where there are several devices: the name of a result's leaf in an archive.
std::string OutputName(int device, int device_count, int leaf);

}  // namespace xla

#endif  // XLA_CORE_LITERAL_IO_LEAVES_H_
