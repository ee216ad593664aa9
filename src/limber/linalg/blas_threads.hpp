#pragma once
/// A BLAS that splits its work by the number of threads rounds differently for each number; one that runs on a single
/// thread always gives the same bits.

namespace limber {

/// Holds OpenBLAS to one thread from now on. Another BLAS is left as it is.
void pin_blas_threads();

/// While it lives, OpenMP loops that this thread starts run on it alone. CHOLMOD asks for four threads however few
/// cores there are, and small loops then mostly wait for each other.
class SerialOpenMp {
 public:
  SerialOpenMp();
  ~SerialOpenMp();
  SerialOpenMp(const SerialOpenMp&) = delete;
  SerialOpenMp& operator=(const SerialOpenMp&) = delete;

 private:
  int levels_ = 0;
};

}  // namespace limber
