#pragma once
/// Control of BLAS threads. A BLAS that divides its work among threads rounds differently for each number of them; on a
/// single thread it always gives the same bits.

namespace limber {

/// Restricts OpenBLAS to one thread from now on. Other BLAS libraries are unaffected.
void pin_blas_threads();

/// While it exists, OpenMP loops started by this thread are serial. CHOLMOD asks for four threads even if there are
/// fewer cores, and its small loops would mostly wait.
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
