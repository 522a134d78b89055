#include "backend/sycl/compiler.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>

#include "backend/sycl/context.h"
#include "backend/sycl/signal_guard.h"
#include "base/file_cache.h"

namespace acutance::sycl_backend {
namespace {

namespace experimental = sycl::ext::oneapi::experimental;

/// Compiled kernels between runs. The runtime's own cache (SYCL_CACHE_PERSISTENT) is not used: version 2026.2 aborts
/// the program when one of its files is damaged.
const FileCache& Files() {
  static const FileCache files("sycl", 64);
  return files;
}

/// Changes with every installation of the runtime, and so of the compiler in it.
std::string RuntimeIdentity() {
  using Free = void (*)(void*, const sycl::context&, const sycl::detail::code_location&);
  Dl_info info{};
  if (!::dladdr(reinterpret_cast<const void*>(static_cast<Free>(&sycl::free)), &info) || !info.dli_fname) return "";
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
  const auto time = std::filesystem::last_write_time(file, error).time_since_epoch().count();
  return fmt::format("{} {} {}", file.string(), std::filesystem::file_size(file, error), time);
}

std::vector<std::string> Options(const DeviceInfo& info) {
  // SYCL's compiler contracts by default, and lets devices round float divisions and square roots as they like.
  return {"-ffp-contract=off", "-foffload-fp32-prec-div", "-foffload-fp32-prec-sqrt",
          fmt::format("-DACU_WAVE_SIZE={}", info.wave_size)};
}

std::string Key(const DeviceInfo& info, const std::vector<std::string>& options) {
  return fmt::format("{}\n{}\n{}\n{}\n", RuntimeIdentity(), info.name, info.driver, fmt::join(options, " "));
}

}  // namespace

Compiler::Compiler(const sycl::device& device, const sycl::context& context, const DeviceInfo& info)
    : device_(device), context_(context), info_(info), options_(Options(info)), key_(Key(info, options_)) {}

std::shared_ptr<const CompiledKernel> Compiler::Add(const KernelImage& image) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<CompiledKernel>& kernel = known_[std::string(image.sycl_source)];
  if (!kernel) {
    kernel = std::make_shared<CompiledKernel>();
    kernel->symbol = image.symbol;
    kernel->text = image.sycl_source;
    waiting_.push_back(kernel);
  }
  return kernel;
}

void Compiler::Compile() {
  const std::lock_guard lock(mutex_);
  // The order of calls must not change the key of the cache.
  std::ranges::sort(waiting_, {}, [](const auto& kernel) { return std::string_view(kernel->symbol); });
  const Status status = waiting_.empty() ? Status() : CompileTogether(waiting_);
  // One kernel that does not compile must not take the others with it.
  if (!status.ok())
    for (const auto& kernel : waiting_) kernel->status = CompileTogether({&kernel, 1});
  waiting_.clear();
}

Status Compiler::CompileTogether(Kernels kernels) const {
  const SignalGuard signals;
  std::string text;
  for (const auto& kernel : kernels) text += kernel->text;
  const std::string what = kernels.size() == 1 ? kernels[0]->symbol : fmt::format("{} kernels", kernels.size());
  const std::string key = key_ + text;
  return Try(info_.name, "compile " + what, [&] {
    std::optional<Bundle> bundle = LoadBundle(key);
    if (!bundle) {
      bundle = BuildBundle(text);
      Files().Write(key, std::as_bytes(std::span<const char>(bundle->ext_oneapi_get_content())));
    }
    for (const auto& kernel : kernels) kernel->kernel = bundle->ext_oneapi_get_kernel(kernel->symbol);
  });
}

std::optional<Compiler::Bundle> Compiler::LoadBundle(const std::string& key) const {
  std::optional<std::vector<std::byte>> content = Files().Read(key);
  std::optional<Bundle> bundle;
  // A file that the runtime does not accept is replaced.
  if (content)
    static_cast<void>(Try("", "", [&] {
      bundle = experimental::get_kernel_bundle<sycl::bundle_state::executable>(
          context_, {device_}, sycl::span<char>(reinterpret_cast<char*>(content->data()), content->size()));
    }));
  return bundle;
}

Compiler::Bundle Compiler::BuildBundle(const std::string& text) const {
  auto source = experimental::create_kernel_bundle_from_source(context_, experimental::source_language::sycl, text);
  return experimental::build(source, std::vector{device_},
                             experimental::properties{experimental::build_options{options_}});
}

}  // namespace acutance::sycl_backend
