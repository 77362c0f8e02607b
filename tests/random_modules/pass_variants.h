// The passes with other options than their defaults, as check_passes runs them.
#ifndef TESTS_RANDOM_MODULES_PASS_VARIANTS_H_
#define TESTS_RANDOM_MODULES_PASS_VARIANTS_H_

namespace xla {

// Each option has another value in one of them at least, where results stay the same, or within the tolerance of their
// types. Fast math is not among them: what it may change depends on the numbers (passes/algebra/fast_math_fuzz_test).
constexpr const char* kPassVariants[] = {
    "canonicalize-convolutions:strided-kernels",
    "canonicalize-dots:merge-batch",
    "canonicalize-dots:strided",
    "combine-collectives:max-bytes=64",
    "combine-collectives:max-operands=2",
    "decompose-collectives:ops=all-gather+all-to-all+collective-broadcast+ragged-all-to-all+reduce-scatter",
    "expand-batch-norm:arithmetic=f32",
    "expand-batch-norm:arithmetic=f32-pairs",
    "expand-cholesky:arithmetic=f32-pairs",
    "expand-convolution:max-positions=2",
    "expand-convolution:only-groups",
    "expand-cumulative-windows:min-length=2:block=2",
    "expand-elementwise:ops=clamp+erf+is-finite+logistic+mulhi+round-nearest-afz+rsqrt+sign+tan",
    "expand-gather:max-iterations=2",
    "expand-linear-algebra-calls:ops=geqrf+getrf+orgqr+ormqr+potrf+syevd+trsm",
    "expand-scatter:max-iterations=2",
    "expand-topk:comparators-only",
    "expand-triangular-solve:arithmetic=f32-pairs",
    "fold-constants:max-bytes=64:small-bytes=0:max-work=100",
    "fuse-attention:min-score-bytes=1:min-queries=1",
    "fuse:products=false:rows=false",
    "form-reduce-scatter:keep-order",
    "fuse:several-results=false:max-members=3",
    "hoist-common-code:max-elements=2:max-copied-instructions=0",
    "hoist-loop-invariants:max-bytes=16",
    "inline-calls:max-instructions=4",
    "inline-calls:single-call-site",
    "normalize-narrow-floats:types=bf16+f16",
    "propagate-bf16:min-bytes=64",
    "share-constants:min-bytes=1",
    "simplify-conditionals:max-branches=2:max-instructions=100",
    "sink-collectives:keep-order",
    "split-collectives:growth-percent=0:growth-bytes=64",
    "split-collectives:ops=all-reduce+reduce-scatter",
    "unroll-loops:max-iterations=3:max-instructions=1000",
    "upcast-integer-dots:min-bits=64",
    "upcast-integer-dots:sub-byte-only",
};

// One pass after the other. What rematerialize wants comes before it; no memory at all makes it do what it can.
constexpr const char* kPassChains[] = {
    "form-reduce-scatter,sink-collectives,combine-collectives,split-collectives,split-async",
    "flatten-call-graph,schedule-for-memory,rematerialize:memory-limit=1,insert-copies",
    "flatten-call-graph,schedule-for-memory,split-collectives,rematerialize:memory-limit=1,insert-copies",
    "flatten-call-graph,rematerialize:memory-limit=2000,insert-copies",
};

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_PASS_VARIANTS_H_
