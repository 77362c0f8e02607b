// Calls of operators that have no family.
#include <algorithm>

#include "tests/random_nnef2/call_maker.h"

namespace xla {
namespace nnef2 {

void CallMaker::Other(const std::string& name) {
  if (name == "dot") {
    const int64_t n = Between(1, 4);
    Reals({n});
    Reals({n});
    if (Chance(50)) Reals({});
  } else if (name == "matvec") {
    const int64_t m = Between(1, 4), n = Between(1, 4);
    const bool is_transposed = Chance(50);
    if (is_transposed) Attribute("transA", "true");
    Reals({m, n});
    Reals({is_transposed ? m : n});
    if (Chance(50)) Reals({is_transposed ? n : m});
  } else if (name == "matmul") {
    const int64_t m = Between(1, 4), n = Between(1, 4), k = Between(1, 4);
    const bool a = Chance(40), b = Chance(40);
    if (a) Attribute("transA", "true");
    if (b) Attribute("transB", "true");
    Extents batch_a = Shape(0, 2), batch_b = batch_a;
    for (int64_t& extent : batch_b) extent = Chance(30) ? 1 : extent;
    if (!batch_a.empty() && Chance(20)) batch_a[0] = 1;
    Extents x = batch_a, y = batch_b;
    x.insert(x.end(), {a ? k : m, a ? m : k});
    y.insert(y.end(), {b ? n : k, b ? k : n});
    Reals(x);
    Reals(y);
    if (Chance(40)) Reals({m, n});
  } else if (name == "outer") {
    Reals(Shape(0, 2));
    Reals(Shape(0, 2));
  } else if (name == "linear") {
    const int64_t b = Between(1, 4), c = Between(1, 4), n = Between(1, 4);
    Reals({b, c});
    Reals({n, c});
    if (Chance(60)) Reals({n});
  } else if (name == "relu") {
    if (Chance(40)) Attribute("alpha", "0.25");
    if (Chance(40)) Attribute("max", "1.0");
    Unary(Domain::kAny);
  } else if (name == "prelu") {
    const Extents x = Shape(2, 3);
    const int64_t axis = Axis(x);
    Attribute("axis", axis);
    Reals(x);
    Reals({At(x, axis)});
  } else if (name == "gelu") {
    Choice("approximate", {"TANH", "SIGMOID"});
    Unary(Domain::kAny);
  } else if (name == "batch_norm") {
    const Extents x = Shape(2, 4);
    Reals(x);
    Reals({x[1]});
    Reals({x[1]}, Domain::kPositive);
    for (int64_t i = Between(0, 2); i > 0; --i) Reals({x[1]});
  } else if (name == "mean_variance_norm") {
    const Extents x = {2, 2, Between(3, 4), Between(2, 3)};
    Attribute("epsilon", "0.5");
    Reals(x);
    if (Chance(60)) Reals({2});
  } else if (name == "local_response_norm") {
    Attribute("size", ListText({Between(1, 3)}));
    Reals(Shape(2, 4));
  } else if (name == "softmax") {
    const Extents x = Shape(2, 3);
    if (Chance(60)) Attribute("axes", ListText(SomeAxes(x)));
    Reals(x);
  } else if (name == "lstm") {
    const int64_t s = Between(1, 3), b = Between(1, 2), c = Between(1, 3), n = Between(1, 2);
    Reals({s, b, c}, Domain::kUnit);
    Reals({4 * n, c}, Domain::kUnit);
    Reals({4 * n, n}, Domain::kUnit);
    Reals({4 * n}, Domain::kUnit);
    outputs_ = "three";
  } else if (name == "top_k") {
    const Extents x = Shape(1, 3);
    Attribute("axis", Axis(x));
    Attribute("k", Between(1, 3));
    Flag("largest");
    Reals(x);
    outputs_ = "two";
  } else if (name == "select") {
    const Extents x = Shape(0, 3);
    Feed(RandomBools(random_, x));
    Reals(x);
    Reals(x);
  } else if (name == "axpby") {
    const Extents x = Shape(0, 3);
    for (int i = 0; i < 4; ++i) Reals(x);
  } else if (name == "moments") {
    Reduction(false);
    outputs_ = "two";
  }
}

}  // namespace nnef2
}  // namespace xla
