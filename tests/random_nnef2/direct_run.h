// DirectRun: one run of a composed graph by the direct evaluator.
#ifndef TESTS_RANDOM_NNEF2_DIRECT_RUN_H_
#define TESTS_RANDOM_NNEF2_DIRECT_RUN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "tests/random_nnef2/direct_evaluator.h"
#include "tests/random_nnef2/direct_expression.h"
#include "tests/random_nnef2/known_extents.h"

namespace xla {
namespace nnef2 {

class DirectRun {
 public:
  DirectRun(const ComposedGraph& graph, const DirectArguments& arguments)
      : graph_(graph), arguments_(arguments), tensors_(graph.tensors.size()), iterations_(arguments.max_iterations) {}

  absl::StatusOr<DirectResults> Run();

 private:
  using TensorPtr = std::shared_ptr<const DirectTensor>;

  // --- what is fed, and what is known ---
  // The numbers of the tensors of a pack, as many as there are at run time.
  std::vector<int> TensorsIn(const Value& value) const;
  absl::Status TakeInputs();
  absl::Status TakeInput(size_t number, const DirectTensor& fed);
  absl::Status CheckWhatIsKnown() const;
  // A tensor that is computed or fed, or a constant, whose extents may be known by now only.
  const TensorPtr& Get(int64_t number);
  TensorPtr MakeConstant(const ComposedTensor& constant) const;
  bool FindExtents(const Shape& shape, std::vector<int64_t>* extents) const;

  // --- operations (direct_operation.cc) ---
  absl::Status RunOperations(const std::vector<ComposedOperation>& operations);
  // Stores a result. Extents that it brings become known, with each iteration of a loop again.
  absl::Status Store(size_t number, TensorPtr tensor);
  // The names of an operator with what is known by now; tensors get numbers of the frame.
  absl::Status EnterFrame(const ComposedOperation& operation, DirectFrame* frame, std::vector<DirectTensor>* copies);
  void AddTensors(absl::string_view name, const Value& value, DirectFrame* frame, std::vector<DirectTensor>* copies);
  static int AddTensor(DirectTensor* tensor, const ElementType& element, DirectFrame* frame);
  // Helpers of reals that dynamic extents determine have no value while the graph is composed.
  static absl::Status EvaluateHelpers(const Definition& definition, DirectFrame* frame);
  static size_t CountTensors(const ComposedOperation& operation);
  absl::Status RunPrimitive(const ComposedOperation& operation);
  static void Round(DirectTensor* tensor);
  absl::Status RunOneIntrinsic(const ComposedOperation& operation);

  // --- control flow (direct_control.cc) ---
  absl::StatusOr<bool> RunCondition(const ComposedRegion& region);
  absl::Status RunBranch(const ComposedOperation& operation);
  // How many iterations there may be at most; none: the condition alone ends the loop.
  absl::StatusOr<absl::optional<int64_t>> CountOf(const ComposedLoop& loop);
  void SetLocals(const ComposedLoop& loop, const std::vector<TensorPtr>& carried);
  absl::Status RunLoop(const ComposedOperation& operation);
  absl::Status StoreLoop(const ComposedOperation& operation, const std::vector<TensorPtr>& carried,
                         const std::vector<std::vector<TensorPtr>>& scanned);

  const ComposedGraph& graph_;
  const DirectArguments& arguments_;
  KnownExtents extents_;
  std::vector<TensorPtr> tensors_;  // by number
  int64_t iterations_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_DIRECT_RUN_H_
