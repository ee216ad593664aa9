#pragma once
/// OpenBLAS has loops for each kind of processor and takes slow, old ones where it does not know the processor, as with
/// some virtual machines and with processors newer than itself. Factorisations then take up to twice their time.

#include <string>
#include <vector>

namespace limber {

/// The kind of processor whose loops OpenBLAS uses, as it calls it, for example "Haswell"; empty: another BLAS.
std::string blas_kernel();

/// What this processor can do, by the names of Linux ("avx2", "asimd"); empty where Linux is not there to ask.
std::vector<std::string> cpu_features();

/// What to say of a kernel that does not use what the processor can do, and how to mend it; empty where all is well.
std::string blas_advice(const std::string& kernel, const std::vector<std::string>& features);

}  // namespace limber
