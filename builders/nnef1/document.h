// Document: a description as its author wrote it, as a syntax tree; and its readers.
//
// Reading has three steps: ParseDocument (lexical elements, grammar, extensions: E1), CheckDocument (declarations,
// invocations, types, identifiers: E2.x) and ExpandDocument (fragments, values of arguments, shapes: E3), which yields
// a Graph.
#ifndef BUILDERS_NNEF1_DOCUMENT_H_
#define BUILDERS_NNEF1_DOCUMENT_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef1/declaration.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/graph.h"
#include "builders/nnef1/value.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace nnef1 {

struct Document;  // document_tree.h: the syntax tree, for those who walk it

// Readers stop at the limits of the diagnostics.
//
// The tree of `source`, or nullptr if there are errors of class E1, which are in `diagnostics`.
std::shared_ptr<const Document> ParseDocument(std::shared_ptr<const Source> source, Diagnostics* diagnostics);

// E2.x, over the whole document.
void CheckDocument(const Document& document, Diagnostics* diagnostics);

// How a document becomes a graph. The defaults give the graph that the standard describes, with compounds kept whole
// where the operation table can lower them.
struct ExpandOptions {
  // Extents that replace those that `external` declares, by the name of the graph's parameter. The rank must be the
  // declared one.
  absl::flat_hash_map<std::string, Extents> external_extents;
  // Expand every compound that the standard defines by a fragment, instead of keeping those that have a lowering.
  bool expand_compounds = false;
  // Keep operations that the document declares without a body as nodes that cannot be run, with results of unknown
  // extents, instead of refusing them.
  bool keep_custom_operations = false;
  // Limits of the work; nullptr: none. Reaching one is an error in the diagnostics, for which the status of the limit
  // stands better.
  const ResourceContext* resources = nullptr;
};

// The graph of a document that CheckDocument found right; nullopt if there are errors, which are in `diagnostics`: E3,
// and E6 where a document is right with the extents that it declares and wrong with `external_extents`.
absl::optional<Graph> ExpandDocument(const Document& document, const ExpandOptions& options, Diagnostics* diagnostics);

// The declarations of the standard's operations, parsed once from the operation table, by name.
const Declaration* FindStandardDeclaration(absl::string_view name);
const Declaration& DeclarationOf(const OperationDefinition& definition);

// graph.quant (NNEF 1.0.4, section 5.3), against the graph that it belongs to: by identifier, in the order of the file.
// Errors: E5.
std::vector<std::pair<std::string, Quantization>> ParseQuantization(std::shared_ptr<const Source> source,
                                                                    const Document& document, const Graph& graph,
                                                                    Diagnostics* diagnostics);

// A graph as a flat document without extensions: one invocation for each node, with every argument written out.
std::string WriteFlatDocument(const Graph& graph);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_DOCUMENT_H_
