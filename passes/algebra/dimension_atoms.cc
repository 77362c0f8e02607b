#include "passes/algebra/dimension_atoms.h"

#include <algorithm>
#include <cstddef>

#include "absl/types/optional.h"
#include "passes/algebra/movement.h"

namespace xla {
namespace {

// The numbers of `dimensions`, all of which have atoms, ordered by the place of their first atom, if the atoms of each
// stand side by side and in order; else nullopt.
absl::optional<DimensionVector> OrderOfBlocks(absl::Span<const std::vector<int>> dimensions,
                                              const std::vector<int>& place_of_atom) {
  DimensionVector order;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const std::vector<int>& atoms = dimensions[d];
    for (size_t i = 1; i < atoms.size(); ++i) {
      if (place_of_atom[atoms[i]] != place_of_atom[atoms[i - 1]] + 1) return absl::nullopt;
    }
    if (!atoms.empty()) order.push_back(static_cast<int64_t>(d));
  }
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return place_of_atom[dimensions[a][0]] < place_of_atom[dimensions[b][0]]; });
  return order;
}

// The dimensions without atoms.
DimensionVector Ones(absl::Span<const std::vector<int>> dimensions) {
  DimensionVector ones;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d].empty()) ones.push_back(static_cast<int64_t>(d));
  }
  return ones;
}

}  // namespace

DimensionAtoms::DimensionAtoms(absl::Span<const int64_t> sizes) : source_sizes_(sizes.begin(), sizes.end()) {
  for (const int64_t size : sizes) {
    source_.emplace_back();
    if (size == 1) continue;
    source_.back().push_back(static_cast<int>(atom_sizes_.size()));
    atom_sizes_.push_back(size);
  }
  current_ = source_;
}

void DimensionAtoms::Transpose(absl::Span<const int64_t> permutation) {
  std::vector<Atoms> permuted;
  for (const int64_t d : permutation) permuted.push_back(current_[d]);
  current_ = std::move(permuted);
}

void DimensionAtoms::Split(int atom, int64_t first_size) {
  const int second = static_cast<int>(atom_sizes_.size());
  atom_sizes_.push_back(atom_sizes_[atom] / first_size);
  atom_sizes_[atom] = first_size;
  for (std::vector<Atoms>* array : {&source_, &current_}) {
    for (Atoms& atoms : *array) {
      const auto place = std::find(atoms.begin(), atoms.end(), atom);
      if (place != atoms.end()) atoms.insert(place + 1, second);
    }
  }
}

// Splits and joins atoms so that each dimension of the new sizes is a sequence of whole atoms. False if sizes do not
// divide each other: then the reshape cuts across dimensions, and no chain is simplified.
bool DimensionAtoms::Reshape(absl::Span<const int64_t> sizes) {
  std::vector<Atoms> reshaped;
  // current_ becomes one list, so that splitting an atom of it needs no search for its dimension.
  current_.assign(1, Flat());
  size_t next = 0;
  for (const int64_t size : sizes) {
    Atoms atoms;
    for (int64_t product = 1; product != size;) {
      const int atom = current_[0][next];
      const int64_t wanted = size / product;
      if (size % product != 0) return false;
      if (atom_sizes_[atom] > wanted) {
        if (atom_sizes_[atom] % wanted != 0) return false;
        Split(atom, wanted);
      } else if (wanted % atom_sizes_[atom] != 0) {
        return false;
      }
      product *= atom_sizes_[atom];
      atoms.push_back(atom);
      ++next;
    }
    reshaped.push_back(std::move(atoms));
  }
  current_ = std::move(reshaped);
  return true;
}

DimensionVector DimensionAtoms::CurrentSizes() const {
  DimensionVector sizes;
  for (const Atoms& atoms : current_) {
    sizes.push_back(1);
    for (const int atom : atoms) sizes.back() *= atom_sizes_[atom];
  }
  return sizes;
}

DimensionAtoms::Atoms DimensionAtoms::Flat() const {
  Atoms flat;
  for (const Atoms& atoms : current_) flat.insert(flat.end(), atoms.begin(), atoms.end());
  return flat;
}

std::vector<int> DimensionAtoms::SourcePlaces() const {
  std::vector<int> places(atom_sizes_.size());
  int place = 0;
  for (const Atoms& atoms : source_) {
    for (const int atom : atoms) places[atom] = place++;
  }
  return places;
}

// The fewest reshapes and transposes with the effect of all steps so far: none, a reshape, a transpose, one of each,
// or at most reshape, transpose, reshape. Dimensions of size 1 may stand anywhere and are placed where they save a
// step.
std::vector<MovementStep> DimensionAtoms::ShortestChain() const {
  const DimensionVector sizes = CurrentSizes();
  const MovementStep to_sizes{MovementStep::Kind::kReshape, sizes};
  const std::vector<int> places = SourcePlaces();
  const Atoms flat = Flat();
  std::vector<int> current_places(flat.size());
  for (size_t i = 0; i < flat.size(); ++i) current_places[flat[i]] = static_cast<int>(i);

  if (places == current_places) {
    if (sizes == source_sizes_) return {};
    return {to_sizes};
  }
  // The source's dimensions may change places as they are.
  absl::optional<DimensionVector> permutation = OrderOfBlocks(source_, current_places);
  if (permutation.has_value()) {
    DimensionVector ones = Ones(source_);
    if (sizes.size() == source_sizes_.size() && Squeezed(sizes) == Permuted(source_sizes_, *permutation)) {
      size_t next_one = 0, next_other = 0;
      DimensionVector whole;
      for (const int64_t size : sizes) whole.push_back(size == 1 ? ones[next_one++] : (*permutation)[next_other++]);
      return {{MovementStep::Kind::kTranspose, whole}};
    }
    ones.insert(ones.end(), permutation->begin(), permutation->end());
    return {{MovementStep::Kind::kTranspose, ones}, to_sizes};
  }
  // The result's dimensions may have changed places as they are.
  const absl::optional<DimensionVector> order = OrderOfBlocks(current_, places);
  if (order.has_value()) {
    DimensionVector before = Ones(current_);
    before.insert(before.end(), order->begin(), order->end());
    return {{MovementStep::Kind::kReshape, Permuted(sizes, before)},
            {MovementStep::Kind::kTranspose, InversePermutation(before)}};
  }
  // Neither: atoms that stay together become the dimensions that change places.
  std::vector<Atoms> blocks;
  for (const int atom : flat) {
    if (blocks.empty() || places[atom] != places[blocks.back().back()] + 1) blocks.emplace_back();
    blocks.back().push_back(atom);
  }
  const DimensionVector block_order = *OrderOfBlocks(blocks, places);
  DimensionVector block_sizes;
  for (const int64_t block : block_order) {
    block_sizes.push_back(1);
    for (const int atom : blocks[block]) block_sizes.back() *= atom_sizes_[atom];
  }
  return {{MovementStep::Kind::kReshape, block_sizes},
          {MovementStep::Kind::kTranspose, InversePermutation(block_order)},
          to_sizes};
}

HloInstruction* ApplySteps(absl::Span<const MovementStep> steps, HloInstruction* x, InstructionBuilder& build) {
  for (const MovementStep& step : steps) {
    x = step.kind == MovementStep::Kind::kReshape ? build.Reshape(x, step.dimensions)
                                                  : build.Transpose(x, step.dimensions);
  }
  return x;
}

}  // namespace xla
