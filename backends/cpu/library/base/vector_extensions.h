// Which of the instruction sets that innermost loops are compiled for this processor has.
#ifndef BACKENDS_CPU_LIBRARY_BASE_VECTOR_EXTENSIONS_H_
#define BACKENDS_CPU_LIBRARY_BASE_VECTOR_EXTENSIONS_H_

namespace xla {

enum class VectorExtensions {
  kBaseline,  // x86-64 as it began
  kAvx2,      // with FMA and F16C
  kAvx512,    // F, BW, DQ and VL, and all of the above
};

VectorExtensions HostVectorExtensions();

// From now on the function above says at most `most`, so that tests run the loops of other processors. Programs that
// were made before must not run then.
void LimitVectorExtensionsInTests(VectorExtensions most);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_BASE_VECTOR_EXTENSIONS_H_
