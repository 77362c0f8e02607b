// Calls of operators of the module layout.
#include <algorithm>

#include "tests/random_nnef2/call_maker.h"

namespace xla {
namespace nnef2 {

void CallMaker::Layout(const std::string& name) {
  Extents x = Shape(1, 3);
  const int64_t rank = static_cast<int64_t>(x.size()), axis = Axis(x);
  if (name == "concat" || name == "stack") {
    Attribute("axis", axis);
    return Pack(Between(1, 3), x, false);
  }
  if (name == "unstack" || name == "split") {
    Attribute("axis", axis);
    output_count_ = At(x, axis);
    outputs_ = "several";
    if (name == "unstack") Flag("squeeze");
    if (name == "split") Attribute("sizes", ListText(Extents(static_cast<size_t>(At(x, axis)), 1)));
    return Any(x);
  }
  if (name == "tile") {
    Attribute("repeats", ListText(Extents(x.size(), Between(1, 3))));
  } else if (name == "slice") {
    Extents begin, end, stride;
    for (const int64_t extent : x) {
      const bool is_reversed = Chance(30);
      const int64_t first = Between(0, extent - 1), last = Between(first, extent);
      begin.push_back(is_reversed ? last - 1 : first);
      end.push_back(is_reversed ? first - 1 : last);
      if (is_reversed && first == 0) end.back() = -extent - 1;
      if (is_reversed && last == 0) begin.back() = -extent - 1;
      stride.push_back((is_reversed ? -1 : 1) * Between(1, 2));
    }
    Attribute("begin", ListText(begin));
    Attribute("end", ListText(end));
    Attribute("stride", ListText(stride));
  } else if (name == "pad") {
    Extents padding;
    const bool is_constant = Chance(50);
    for (int64_t& extent : x) extent = std::max<int64_t>(extent, 2);
    for (size_t i = 0; i < 2 * x.size(); ++i) padding.push_back(Between(0, is_constant ? 2 : 1));
    Attribute("padding", ListText(padding));
    if (!is_constant) Choice("method", {"REFLECT", "REPLICATE", "SYMMETRIC"});
    Reals(x);
    if (is_constant && Chance(50)) Reals({});
    return;
  } else if (name == "transpose") {
    Attribute("perm", ListText(Axes(rank, rank)));
  } else if (name == "flatten") {
    Attribute("axis", axis < 0 ? axis + rank : axis);
    Attribute("rank", Between(0, rank - (axis < 0 ? axis + rank : axis)));
  } else if (name == "unflatten") {
    x[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = 6;
    Attribute("axis", axis);
    Attribute("shape", Chance(50) ? "[2,3]" : "[3,1,2]");
  } else if (name == "reshape") {
    x = {2, 3, Between(1, 3)};
    Attribute("shape", Chance(50) ? "[-1]" : "[3,-1]");
  } else if (name == "squeeze") {
    x[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = 1;
    Attribute("axes", ListText({axis}));
  } else if (name == "unsqueeze") {
    Attribute("axes", ListText(Axes(rank + 2, 2)));
  } else if (name == "broadcast") {
    Extents shape = x;
    for (int64_t& extent : x) extent = Chance(40) ? 1 : extent;
    Attribute("shape", ListText(shape));
  } else if (name == "space_to_batch" || name == "batch_to_space") {
    Attribute("block_size", "[2,1]");
    x = {2 * Between(1, 2), Between(1, 3), 4, Between(1, 3)};
  } else if (name == "shuffle") {
    x[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = 4;
    Attribute("axis", axis < 0 ? axis + rank : axis);
    Attribute("groups", 2);
  } else if (name == "gather") {
    Attribute("axis", axis);
    Any(x);
    return Ints(Shape(0, 2), 0, At(x, axis) - 1);
  } else if (name == "gather_nd") {
    x = {3, 2, Between(1, 3)};
    Any(x);
    return Ints({Between(1, 3), 2}, 0, 1);
  } else if (name == "scatter") {
    Attribute("axis", axis);
    Extents updates = x;
    updates[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = Between(1, 4);
    Reals(x);
    Ints(updates, 0, At(x, axis) - 1);
    return Reals(updates);
  } else if (name == "scatter_nd") {
    x = {3, 2, Between(1, 3)};
    const int64_t count = Between(1, 3);
    Reals(x);
    Ints({count, 2}, 0, 1);
    return Reals({count, x[2]});
  } else if (name == "constant") {
    Attribute("shape", "[2,2]");
    return Attribute("value", Chance(50) ? "1.5" : "[1.0,2.0,3.0,4.0]");
  } else if (name == "uniform") {
    Attribute("shape", ListText(x));
    return Any({});
  } else if (name == "range") {
    Attribute("first", "1.0");
    Attribute("last", Chance(50) ? "4.5" : "-2.0");
    if (attributes_.back() == "last=-2.0") Attribute("stride", "-0.5");
    return;
  }
  Any(x);
}

}  // namespace nnef2
}  // namespace xla
