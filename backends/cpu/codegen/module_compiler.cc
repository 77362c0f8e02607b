// The code that we emit is in SSA form and vectorised already, so what is left to LLVM's passes is little: to clean up
// the splats, masks and dead conversions that emission leaves, and to move what does not change out of loops.
#include "backends/cpu/codegen/module_compiler.h"

#include <algorithm>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "backends/cpu/codegen/llvm_ir.h"
#include "backends/cpu/codegen/kernel_emitter.h"
#include "backends/cpu/codegen/large_stack.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace codegen {
namespace {

// Enough for chains of a hundred thousand operations.
constexpr int64_t kStackBytes = int64_t{1} << 28;

// nullptr, and why, if there is none. What codegen_target.h has targets for is set up when it is first wanted: all that
// LLVM knows would take half a millisecond more.
const llvm::Target* FindTarget(const llvm::Triple& triple, std::string* error) {
  static std::mutex mutex;
  static bool has_x86 = false, has_aarch64 = false;
  const std::lock_guard<std::mutex> lock(mutex);
  if (triple.isX86() && !has_x86) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    has_x86 = true;
  } else if (triple.isAArch64() && !has_aarch64) {
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    has_aarch64 = true;
  }
  return llvm::TargetRegistry::lookupTarget(triple.str(), *error);
}

// The code generator for the target. Contraction of floats is off: a kernel says itself where products and sums are
// fused.
absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> MakeMachine(const CodegenTarget& target, int optimization_level) {
  std::string error;
  const llvm::Target* const found = FindTarget(llvm::Triple(target.triple), &error);
  if (found == nullptr)
    return absl::UnavailableError(absl::StrCat("no code generator for ", target.triple, ": ", error));
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  static constexpr llvm::CodeGenOptLevel kLevels[] = {llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Less,
                                                      llvm::CodeGenOptLevel::Default};
  const auto level = kLevels[std::clamp(optimization_level, 0, 2)];
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      target.triple, target.cpu, target.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small, level));
}

bool HasVariables(llvm::Function& function) {
  for (const llvm::Instruction& instruction : function.getEntryBlock()) {
    if (llvm::isa<llvm::AllocaInst>(instruction)) return true;
  }
  return false;
}

// Whether a block is so long that LLVM would schedule it in quadratic time: it compares pairs of accesses to memory,
// and goes through all uses of a register at each of them. Fusions of our own stay far below: a hundred functions are
// 9,000 instructions in blocks of less than 200.
bool HasLongBlock(const llvm::Function& function) {
  constexpr size_t kMostInstructions = 10'000;
  constexpr int kMostAccesses = 2000;
  for (const llvm::BasicBlock& block : function) {
    if (block.size() > kMostInstructions) return true;
    int accesses = 0;
    for (const llvm::Instruction& instruction : block) accesses += instruction.mayReadOrWriteMemory() ? 1 : 0;
    if (accesses > kMostAccesses) return true;
  }
  return false;
}

// At level 0, constants are folded and nothing else. Code selection of LLVM 19 folds them, too, but wrongly: it takes
// 0 / 0 for 0 in a lane where it knows both (SimplifyDemandedVectorElts), so that a select against NaN is dropped.
llvm::FunctionPassManager PassesOf(int optimization_level) {
  llvm::FunctionPassManager passes;
  if (optimization_level == 0) {
    passes.addPass(llvm::InstSimplifyPass());
    return passes;
  }
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1)));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  return passes;
}

// Runs LLVM's passes function by function, without those that work on whole modules: kernels do not call each other.
// Functions with variables on the stack get them into registers first. Those with long blocks are not optimized, here
// or by the code generator.
void RunPasses(int optimization_level, llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::FunctionPassManager passes = PassesOf(optimization_level);
  llvm::FunctionPassManager passes_of_long = PassesOf(0);
  llvm::FunctionPassManager registers;
  registers.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (optimization_level > 0 && HasLongBlock(function)) {
      function.addFnAttr(llvm::Attribute::OptimizeNone);
      function.addFnAttr(llvm::Attribute::NoInline);
      passes_of_long.run(function, functions);
      continue;
    }
    if (optimization_level > 0 && HasVariables(function)) registers.run(function, functions);
    passes.run(function, functions);
  }
}

std::string TextOf(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

absl::StatusOr<std::string> EmitCode(llvm::Module& module, llvm::TargetMachine& machine,
                                     llvm::CodeGenFileType file_type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, file_type, /*DisableVerify=*/true)) {
    return absl::UnavailableError(absl::StrCat("no object files for ", machine.getTargetTriple().str()));
  }
  passes.run(module);
  return std::string(bytes.data(), bytes.size());
}

absl::Status CheckModule(const llvm::Module& module) {
  std::string error;
  llvm::raw_string_ostream stream(error);
  if (!llvm::verifyModule(module, &stream)) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("emitted code is not valid: ", stream.str(), "\n", TextOf(module)));
}

// Machines take long to make, much of it to read the names of features, and serve one thread at a time.
class MachineModuleCompiler : public ModuleCompiler {
 public:
  MachineModuleCompiler(CodegenTarget target, CodegenOptions options)
      : target_(std::move(target)), options_(std::move(options)) {}

  absl::StatusOr<std::string> Compile(const std::string& name, absl::Span<const NamedKernel> kernels) override {
    ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine, TakeMachine());
    absl::StatusOr<std::string> object = absl::UnknownError("not compiled");
    RunOnStackOf(kStackBytes, [&] { object = CompileWith(*machine, name, kernels); });
    PutBack(std::move(machine));
    return object;
  }

  absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> TakeMachine() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<llvm::TargetMachine> machine = std::move(idle_.back());
        idle_.pop_back();
        return machine;
      }
    }
    return MakeMachine(target_, options_.optimization_level);
  }
  void PutBack(std::unique_ptr<llvm::TargetMachine> machine) {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(machine));
  }

 private:
  // Emits, checks and optimizes a module, and gives its object code. Assembly for a dump comes from a copy, since
  // emitting code changes the module.
  absl::StatusOr<std::string> CompileWith(llvm::TargetMachine& machine, const std::string& name,
                                          absl::Span<const NamedKernel> kernels) const {
    llvm::LLVMContext context;
    llvm::Module module(name, context);
    module.setTargetTriple(target_.triple);
    module.setDataLayout(machine.createDataLayout());
    {
      LlvmIr ir(context, module, target_.vector_bytes, target_.has_half, target_.has_half_arithmetic);
      for (const NamedKernel& kernel : kernels) KernelEmitter(ir, target_, *kernel.kernel).Emit(kernel.symbol);
    }
    RETURN_IF_ERROR(CheckModule(module));
    RunPasses(options_.optimization_level, module, machine);
    if (options_.dump) {
      const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
      ASSIGN_OR_RETURN(const std::string assembly, EmitCode(*copy, machine, llvm::CodeGenFileType::AssemblyFile));
      options_.dump(name, TextOf(module), assembly);
    }
    return EmitCode(module, machine, llvm::CodeGenFileType::ObjectFile);
  }

  const CodegenTarget target_;
  const CodegenOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<llvm::TargetMachine>> idle_;  // guarded by mutex_
};

}  // namespace

absl::StatusOr<std::unique_ptr<ModuleCompiler>> ModuleCompiler::Create(const CodegenTarget& target,
                                                                       const CodegenOptions& options) {
  auto compiler = std::make_unique<MachineModuleCompiler>(target, options);
  ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine, compiler->TakeMachine());
  compiler->PutBack(std::move(machine));
  return std::unique_ptr<ModuleCompiler>(std::move(compiler));
}

}  // namespace codegen
}  // namespace xla
