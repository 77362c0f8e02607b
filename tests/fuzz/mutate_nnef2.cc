// Mutates the modules of a corpus of NNEF 2 models and looks whether the frontend keeps its promises.
// Usage: mutate_nnef2 CORPUS COUNT [SEED]
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/mutate_documents.h"

namespace xla {
namespace {

constexpr absl::string_view kNnef2Words =
    "import graph public operator optional type arith num int real bool str inf pi true false as is in if then else "
    "elif do for while with yield unroll @dtype @attrib @input @output @constant @variable @using @assert @lower "
    "@compose @update @quantize + - * / \\ % ** && || ^ ! => <- -> < <= > >= == != += *= &= |= := << >> <> = ? ?? , . "
    ".. ... : ; ` ~ ( ) [ ] { } | # ' \" 0 1 2 -1 3. 1e3 1e400 9223372036854775807 9223372036854775808 .shape .rank "
    ".size x y s i '{x}' '\\{' `sqrt` math nn layout math.neg nn.conv n|10 ~|4 1..(5) [1:0:0] _ \xC3\xA9";

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  return xla::MutateDocuments({"mutate_nnef2", ".sknd", ".sknd", xla::kNnef2Words, xla::FuzzNnef2Document}, argc, argv);
}
