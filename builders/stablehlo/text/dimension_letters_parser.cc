// The dimensions of convolutions as letters.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/attribute_parser.h"

namespace xla {
namespace stablehlo {
namespace {

// The letters of one operand: where each of the two named dimensions is, and each spatial one by its number.
struct Letters {
  int64_t named[2] = {-1, -1};
  std::vector<int64_t> spatial;
};

}  // namespace

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
bool AttributeParser::ReadDimensionLetters(AttributeId* attribute) {
  const char* const at = token().begin();
  const auto read_letters = [&](absl::string_view first, absl::string_view second, Letters* letters) {
    int64_t position = 0;
    const bool is_read = ReadList('[', ']', [&] {
      const bool is_first = token().IsWord(first);
      int64_t* place = &letters->named[is_first ? 0 : 1];
      if (is_first || token().IsWord(second)) {
        Advance();
      } else {
        int64_t number = 0;
        if (!token().Is(TokenKind::kInteger)) {
          return ErrorExpected(absl::StrCat("'", first, "', '", second, "' or the number of a spatial dimension"));
        }
        const char* const number_at = token().begin();
        if (!ReadInteger(&number)) return false;
        if (number > 1000) return ErrorAt(number_at, "this is not a spatial dimension");
        if (static_cast<size_t>(number) >= letters->spatial.size()) letters->spatial.resize(number + 1, -1);
        place = &letters->spatial[number];
      }
      if (*place >= 0) return ErrorAt(at, "a dimension is named twice");
      *place = position++;
      return true;
    });
    if (!is_read) return false;
    for (const int64_t place : letters->spatial) {
      if (place < 0) return ErrorAt(at, "a spatial dimension is left out");
    }
    return (letters->named[0] >= 0 && letters->named[1] >= 0) ||
           ErrorAt(at, absl::StrCat("the dimensions '", first, "' and '", second, "' must both be there"));
  };
  Letters input;
  Letters kernel;
  Letters output;
  if (!read_letters("b", "f", &input) || !ExpectWord("x") || !read_letters("i", "o", &kernel) || !ExpectArrow() ||
      !read_letters("b", "f", &output)) {
    return false;
  }
  *attribute = module_.Struct("stablehlo.conv", {{"input_batch_dimension", module_.Int64(input.named[0])},
                                                 {"input_feature_dimension", module_.Int64(input.named[1])},
                                                 {"input_spatial_dimensions", module_.Int64Array(input.spatial)},
                                                 {"kernel_input_feature_dimension", module_.Int64(kernel.named[0])},
                                                 {"kernel_output_feature_dimension", module_.Int64(kernel.named[1])},
                                                 {"kernel_spatial_dimensions", module_.Int64Array(kernel.spatial)},
                                                 {"output_batch_dimension", module_.Int64(output.named[0])},
                                                 {"output_feature_dimension", module_.Int64(output.named[1])},
                                                 {"output_spatial_dimensions", module_.Int64Array(output.spatial)}});
  return true;
}

}  // namespace stablehlo
}  // namespace xla
