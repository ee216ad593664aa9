#pragma once  // internal
/// What all users of PETSc in this room share. Only files that are compiled with LIMBER_HAS_PETSC include this.

#include <petscksp.h>

#include <string>

namespace limber {

/// Throws StepFailure with what PETSc says.
void check_petsc(PetscErrorCode code);
/// Once, and until the processes part.
void begin_petsc();

/// A handle that is given back.
template <class Handle, PetscErrorCode (*destroy)(Handle*)>
class PetscOwned {
 public:
  PetscOwned() = default;
  ~PetscOwned() { reset(); }
  PetscOwned(const PetscOwned&) = delete;
  PetscOwned& operator=(const PetscOwned&) = delete;

  /// Where PETSc puts a new one.
  Handle* fresh() {
    reset();
    return &handle_;
  }
  void reset() {
    if (handle_) destroy(&handle_);
    handle_ = nullptr;
  }
  operator Handle() const { return handle_; }  // NOLINT(google-explicit-constructor): PETSc's functions take it
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  Handle handle_ = nullptr;
};

}  // namespace limber
