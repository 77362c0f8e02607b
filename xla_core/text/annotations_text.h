// What instructions carry besides their meaning, both ways: metadata, frontend
// attributes, statistics, accuracy, origin. Values only; `metadata=` itself belongs to the instruction.
#ifndef XLA_CORE_TEXT_ANNOTATIONS_TEXT_H_
#define XLA_CORE_TEXT_ANNOTATIONS_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "xla_core/ir/annotations.h"
#include "xla_core/text/token_reader.h"

namespace xla {

// {op_type="..." op_name="..." source_line=3}. Names that only old releases wrote are accepted and dropped.
bool ParseMetadata(TokenReader& reader, OpMetadata* metadata);
void AppendMetadata(const OpMetadata& metadata, std::string* out);

// {a="1",b={"json":1}}
bool ParseFrontendAttributes(TokenReader& reader, FrontendAttributes* attributes);
void AppendFrontendAttributes(const FrontendAttributes& attributes, std::string* out);

// {visualizing_index=0,count_nan=100}
bool ParseStatistics(TokenReader& reader, Statistics* statistics);
void AppendStatistics(const Statistics& statistics, std::string* out);

// {mode=highest} or {tolerance={atol=0,rtol=1e-3,ulps=2}}
bool ParseResultAccuracy(TokenReader& reader, ResultAccuracy* accuracy);
void AppendResultAccuracy(const ResultAccuracy& accuracy, std::string* out);

// {{"name" {1}}}, {({"a"}, ({"b" {0}}, {}))}, {[synthetic_call]}
bool ParseOrigin(TokenReader& reader, OriginalValue* origin);
void AppendOrigin(const OriginalValue& origin, std::string* out);

// {"name" {1}}: what origin trees and the origin recovery table are made of.
bool ParseOriginalArray(TokenReader& reader, OriginalValue::Array* array);
void AppendOriginalArray(const OriginalValue::Array& array, std::string* out);

// Bare if it reads back as a JSON dictionary, else in quotes.
void AppendStringOrJson(absl::string_view value, std::string* out);
// "text" with C escapes.
void AppendQuoted(absl::string_view value, std::string* out);

}  // namespace xla

#endif  // XLA_CORE_TEXT_ANNOTATIONS_TEXT_H_
