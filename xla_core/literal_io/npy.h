// Reads and writes .npy files: one array each, a short header and then its bytes.
//
// NumPy lacks bf16, the f8, f6 and f4 kinds and integers below a byte. Such arrays are stored as unsigned integers of
// the same width (below a byte: one byte each, the value in its low bits) and take their type back from the shape that
// the reader expects. What ml_dtypes writes for them, void of one or two bytes, is read too.
#ifndef XLA_CORE_LITERAL_IO_NPY_H_
#define XLA_CORE_LITERAL_IO_NPY_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/files.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// What the header of a .npy file says.
struct NpyHeader {
  char kind = 0;  // as in NumPy: b, i, u, f, c or V
  int item_bytes = 0;
  bool big_endian = false;
  bool fortran_order = false;
  DimensionVector dimensions;
  int64_t data_offset = 0;
  int64_t data_bytes = 0;  // of all elements
};

// A .npy file that is read from front to back. `next` writes the next `count` bytes, which are there by `size`; its
// errors are passed on as they are.
struct NpyStream {
  int64_t size;
  std::function<absl::Status(int64_t count, char* to)> next;
};
NpyStream StreamOf(absl::string_view file);

// Reads the header of versions 1 to 3 and checks that the file has room for the data that it announces.
// Errors, which begin with `name`: InvalidArgument for what is no .npy file, is damaged or cut off, or holds what no
// array of HLO holds (Python objects, structures, strings, dates).
absl::StatusOr<NpyHeader> ReadNpyHeader(const NpyStream& file, absl::string_view name);

// The static shape of the array under the type that the file itself names (void of 1 or 2 bytes: u8 or u16).
Shape ShapeInNpy(const NpyHeader& header);

// The array in `file`, of the shape ShapeInNpy.
// Errors: also ResourceExhausted if `budget` refuses the memory, and a limit of `resources` that was reached.
absl::StatusOr<Literal> ReadNpy(absl::string_view file, absl::string_view name, MemoryBudget* budget = nullptr,
                                const ResourceContext* resources = nullptr);

// The array in `file` as one of shape `wanted`. Floats narrower than f32 may also be stored as f32 or f64 and are then
// rounded. Where `wanted` has a bounded dynamic dimension the file may have fewer elements.
// Errors: also InvalidArgument if type or dimensions do not fit.
absl::StatusOr<Literal> ReadNpyAs(absl::string_view file, absl::string_view name, const Shape& wanted,
                                  MemoryBudget* budget = nullptr, const ResourceContext* resources = nullptr);

// The same for a file whose header has been read. If the shape does not fit, no element is read and no memory taken.
absl::StatusOr<Literal> ReadNpyElements(const NpyHeader& header, const NpyStream& file, absl::string_view name,
                                        MemoryBudget* budget = nullptr, const ResourceContext* resources = nullptr);
absl::StatusOr<Literal> ReadNpyElementsAs(const NpyHeader& header, const NpyStream& file, absl::string_view name,
                                          const Shape& wanted, MemoryBudget* budget = nullptr,
                                          const ResourceContext* resources = nullptr);

// A .npy file in two pieces, so that a large array need not be copied.
struct NpyFile {
  std::string header;
  Literal stored;  // holds what `data` refers to
  absl::string_view data() const {
    return absl::string_view(static_cast<const char*>(stored.untyped_data()), stored.size_bytes());
  }
};

// The file for an array; of dynamic dimensions only the part that means something. ResourceExhausted: no memory for the
// stored form, where that differs from the literal's own.
absl::StatusOr<NpyFile> MakeNpy(const Literal& array);

// Appends the bytes, with a look at the limits before every few megabytes. Errors: those of the file; a limit of
// `resources`, which may be nullptr, was reached.
absl::Status AppendInPieces(absl::string_view bytes, AtomicFile& file, const ResourceContext* resources);

}  // namespace xla

#endif  // XLA_CORE_LITERAL_IO_NPY_H_
