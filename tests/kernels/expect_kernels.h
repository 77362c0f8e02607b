// Expectations of tests that lower whole programs in text.
#ifndef TESTS_KERNELS_EXPECT_KERNELS_H_
#define TESTS_KERNELS_EXPECT_KERNELS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tests/kernels/check_kernel.h"

namespace xla {

// Small tiles and little cache, so that small arrays have several tiles and chunks.
KernelCheckOptions SmallTiles();

// Every instruction of the entry computation has a kernel that agrees; returns the phases of the last one. With `fuse`
// it is what the pipeline of that name leaves.
int ExpectKernels(absl::string_view text, bool fuse = false, const KernelCheckOptions& options = SmallTiles());

// A module of an entry computation with that body, and of the computations `before`.
std::string Entry(absl::string_view body, absl::string_view before = "");

}  // namespace xla

#endif  // TESTS_KERNELS_EXPECT_KERNELS_H_
