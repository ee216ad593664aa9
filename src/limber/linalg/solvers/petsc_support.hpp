#pragma once  // internal
/// Shared helpers for users of PETSc in this room. Include only in files compiled with LIMBER_HAS_PETSC.

#include <petscksp.h>

#include <string>

namespace limber {

/// Throws StepFailure with PETSc's error message.
void check_petsc(PetscErrorCode code);
/// Initialises PETSc once; it is finalised when the processes end.
void begin_petsc();

/// Owning handle of a PETSc object.
template <class Handle, PetscErrorCode (*destroy)(Handle*)>
class PetscOwned {
 public:
  PetscOwned() = default;
  ~PetscOwned() { reset(); }
  PetscOwned(const PetscOwned&) = delete;
  PetscOwned& operator=(const PetscOwned&) = delete;

  /// Releases the handle and returns the address for a new one.
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
