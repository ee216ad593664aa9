#pragma once
/// OpenBLAS has kernels for each type of processor and falls back to slow, old ones if it does not know the processor,
/// as on some virtual machines and on processors newer than itself. Factorisations then take up to twice as long.

#include <string>
#include <vector>

namespace limber {

/// The processor type whose kernels OpenBLAS uses, by its own name, for example "Haswell"; empty for another BLAS.
std::string blas_kernel();

/// The features of this processor by their Linux names ("avx2", "asimd"); empty on other systems.
std::vector<std::string> cpu_features();

/// A warning, with a remedy, if the kernel does not use the processor's features; empty if it does.
std::string blas_advice(const std::string& kernel, const std::vector<std::string>& features);

}  // namespace limber
