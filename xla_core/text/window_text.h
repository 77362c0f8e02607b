// Windows, convolution labels, padding and slices, both ways.
#ifndef XLA_CORE_TEXT_WINDOW_TEXT_H_
#define XLA_CORE_TEXT_WINDOW_TEXT_H_

#include <string>
#include <vector>

#include "xla_core/ir/attributes.h"
#include "xla_core/text/token_reader.h"

namespace xla {

// {size=3x3 stride=2x2 pad=0_1x1_1 lhs_dilate=1x2 rhs_dilate=1x1 rhs_reversal=0x1}
bool ParseWindow(TokenReader& reader, Window* window);
void AppendWindow(const Window& window, std::string* out);

// bf01_oi01->bf01
bool ParseDimLabels(TokenReader& reader, ConvolutionDimensionNumbers* labels);
void AppendDimLabels(const ConvolutionDimensionNumbers& labels, std::string* out);

// 0_1x2_3_1
bool ParsePadding(TokenReader& reader, PaddingConfig* padding);
void AppendPadding(const PaddingConfig& padding, std::string* out);

// {[0:2:1], [1:4]}
bool ParseSlice(TokenReader& reader, std::vector<SliceRange>* ranges);
void AppendSlice(const std::vector<SliceRange>& ranges, std::string* out);

// {lhs={sparsity=2x4 dimension=1 stride=1},rhs={...}}
bool ParseSparsity(TokenReader& reader, ConvolutionSparsity* sparsity);
void AppendSparsity(const ConvolutionSparsity& sparsity, std::string* out);

}  // namespace xla

#endif  // XLA_CORE_TEXT_WINDOW_TEXT_H_
