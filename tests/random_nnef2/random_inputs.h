// RandomInputs: the inputs of a random statement's operator, and what is fed to them.
#ifndef TESTS_RANDOM_NNEF2_RANDOM_INPUTS_H_
#define TESTS_RANDOM_NNEF2_RANDOM_INPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/random_nnef2/random_document.h"
#include "tests/random_nnef2/random_indices.h"

namespace xla {
namespace nnef2 {

class RandomInputs {
 public:
  explicit RandomInputs(RandomSource* random) : random_(*random) {}

  // Each returns the name of the new input.
  std::string Add(BaseType base, const std::vector<ExtentText>& extents);
  std::string AddPack(BaseType base, const std::vector<ExtentText>& extents, int64_t count);
  // Ints for the iterations of a loop, as many as it has at most.
  std::string AddPlaces(const IndexText& loop, int64_t least, int64_t greatest);

  // A new extent that is known at run time only: that of an input of its own.
  ExtentText AddName();
  const std::vector<ExtentText>& names() const { return names_; }

  // An operator with these outputs and statements, and a graph that invokes it. Now and then an extent is fed that
  // differs from that of another input, or is greater than its bound.
  RandomDocument Document(const std::string& outputs, const std::string& results, const std::string& statements);

 private:
  struct Input {
    BaseType base = BaseType::kReal;
    std::vector<ExtentText> extents;
    bool is_pack = false;
    DirectTensors tensors;
  };

  DirectTensor TensorOf(BaseType base, const std::vector<ExtentText>& extents);
  std::string Name(Input input);
  std::string DeclarationsText(bool of_graph) const;

  RandomSource& random_;
  std::vector<Input> inputs_;
  std::vector<ExtentText> names_;
};

// "real[n,2]"; in the inputs of a graph with bounds, "real[n|4,2]".
std::string TypeText(BaseType base, const std::vector<ExtentText>& extents, bool has_bounds);

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_RANDOM_INPUTS_H_
