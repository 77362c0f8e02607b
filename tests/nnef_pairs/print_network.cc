// print_network NAME: writes one of the networks of examples/nnef2, at its full size, to standard output as a document
// of NNEF 1, or the LSTM as HLO.
#include <iostream>
#include <string>

#include "tests/nnef_pairs/networks.h"

int main(int argc, char** argv) {
  const std::string name = argc == 2 ? argv[1] : "";
  if (name == "resnet50") {
    std::cout << xla::ResNet50Document(/*size=*/224, /*width=*/64, /*classes=*/1000);
  } else if (name == "mobilenet_v2") {
    std::cout << xla::MobileNetV2Document(/*size=*/224, /*unit=*/8, /*classes=*/1000);
  } else if (name == "transformer_block") {
    std::cout << xla::TransformerDocument(/*length=*/128, /*heads=*/12, /*head_size=*/64);
  } else if (name == "lstm") {
    std::cout << xla::LstmModule(/*length=*/64, /*batch=*/1, /*inputs=*/256, /*cells=*/256);
  } else {
    std::cerr << "print_network: expected resnet50, mobilenet_v2, transformer_block or lstm, got '" << name << "'\n";
    return 2;
  }
  return 0;
}
