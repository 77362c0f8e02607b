// Programs of any size for benchmarks, written as HLO text.
#ifndef TESTS_BENCHMARKS_GENERATED_MODULE_H_
#define TESTS_BENCHMARKS_GENERATED_MODULE_H_

#include <cstdint>
#include <string>

namespace xla {

// A valid module of `instructions` instructions, or up to 40 more, that looks like what JAX writes for a deep network:
// dots, elementwise chains, reductions, fusions, loops, small constants, spread over computations of a few hundred
// instructions, with layouts and metadata. The same text for the same number.
std::string GenerateNetworkText(int64_t instructions);

// A module that is one constant f32 array of about `text_bytes` bytes of text, and its number of elements.
struct ConstantModule {
  std::string text;
  int64_t elements = 0;
};
ConstantModule GenerateConstantText(int64_t text_bytes);

// A loop of `iterations` iterations whose body is ten scalar operations, the counter's among them. Parameters: two f32
// scalars.
std::string GenerateScalarLoopText(int64_t iterations);
// The same over arrays of four elements, with all but the counter's.
std::string GenerateVectorLoopText(int64_t iterations);

// `layers` 3x3 convolutions with ReLU over an f32[1,56,56,64] image: parameter 0 the image, parameter 1 the kernel.
std::string GenerateConvolutionStackText(int layers);

}  // namespace xla

#endif  // TESTS_BENCHMARKS_GENERATED_MODULE_H_
