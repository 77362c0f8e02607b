// What the fuzzers check. Each function takes any bytes and ends the process, with a message that says what went wrong,
// if a promise is broken; that an input is refused is fine. Work on programs is done within a ResourceContext, and once
// more within one that is cancelled already: it must end as otherwise, or with Cancelled.
#ifndef TESTS_FUZZ_FUZZ_TARGETS_H_
#define TESTS_FUZZ_FUZZ_TARGETS_H_

#include "absl/strings/string_view.h"

namespace xla {

// HLO text. What can be read is printed and read again in every style, to the same text. What passes the verifier still
// does so then, and is the same after a round through protobuf.
void FuzzText(absl::string_view text);

// A module in protobuf, binary or text. What passes the verifier is the same after a round through protobuf and through
// HLO text.
void FuzzProto(absl::string_view bytes);

// HLO text. What passes the verifier runs, within limits of steps, memory and time, to a value or an error, and to the
// same one on one thread as on two.
void FuzzEvaluator(absl::string_view text);

// A file of arrays: .npy, .npz, .safetensors or JSON of input specs. What can be read can be written and printed.
void FuzzArrays(absl::string_view bytes);

// A WebNN graph in JSON. What can be read is written and read again, to the same text, and becomes HLO that the
// verifier takes, or is refused by the builder.
void FuzzWebnn(absl::string_view text);

// A description of an NNEF 1 model and, after a line "#quant", a quantisation file of it. What is refused is refused
// with a class and a message. What can be read is written as a flat document that is read as the same graph, and
// becomes HLO that the verifier takes.
void FuzzNnef1Document(absl::string_view text);

// A tensor file of NNEF 1. What can be read as a tensor of one type can be written and read again, with the same bits.
void FuzzNnef1Tensor(absl::string_view bytes);

// An archive with an NNEF 1 model. All its members can be read, and the model is loaded or refused with a message.
void FuzzNnef1Archive(absl::string_view bytes);

// A module of an NNEF 2 model. What is refused is refused with a class and a message. What can be parsed is printed as a
// text that is printed the same; what is composed is so from that text, too, as the same graph, and becomes HLO
// that the verifier takes.
void FuzzNnef2Document(absl::string_view text);

// A tensor file of NNEF 2. What is refused is refused with a message of class data. What can be read can be written and
// read again, with the same bits.
void FuzzNnef2Tensor(absl::string_view bytes);

// StableHLO text. What can be read is printed and read again in both forms, as the same module, and becomes HLO or is
// refused.
void FuzzStablehloText(absl::string_view text);

// An artifact of StableHLO. What can be read can be printed, and becomes HLO or is refused.
void FuzzStablehloBytecode(absl::string_view bytes);

}  // namespace xla

#endif  // TESTS_FUZZ_FUZZ_TARGETS_H_
