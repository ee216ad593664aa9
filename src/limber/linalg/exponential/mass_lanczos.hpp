#pragma once  // internal
/// The Lanczos process in the M-inner product:  K V_m = M V_m T + next M v_{m+1} e_mᵀ,  V_mᵀ M V_m = I, T tridiagonal
/// with eigenvalues θ and eigenvectors Q. Uses three-term recurrences only: for functions of M⁻¹K the resulting loss of
/// orthogonality is harmless. Very small systems are reorthogonalised, so that the process terminates.

#include "limber/linalg/exponential/phi1.hpp"

namespace limber {

class MassLanczos {
 public:
  MassLanczos(Index n, int limit);

  /// Starts from w = M⁻¹p; w = 0 gives an empty process of size 0.
  void start(const Vector& p, const Vector& w);
  /// Adds one dimension.
  void extend(const LinearOperator& stiffness, const LinearOperator& inverse_mass);
  /// Computes θ and Q of the present T.
  void diagonalize();

  int m() const { return m_; }
  int limit() const { return static_cast<int>(diagonal_.size()); }
  bool complete() const { return next_ == 0; }  // the space is invariant
  double size() const { return size_; }         // ‖w‖_M
  double next() const { return next_; }
  double mean() const { return diagonal_[0]; }  // wᵀKw / wᵀMw
  double largest() const;                       // an upper bound of the eigenvalues of T
  const Vector& theta() const { return theta_; }
  const Matrix& Q() const { return Q_; }
  const Matrix& V() const { return V_; }

 private:
  Matrix V_;
  Vector diagonal_, off_;  // of T
  struct {
    Vector v, p, p_before;  // v_{m+1}, M v_{m+1}, M v_m
    Vector rest, preimage;  // K v, less what T has of it, and M⁻¹ of that
  } next_vector_;
  Vector theta_;
  Matrix Q_, MV_;  // M V is kept only if vectors are reorthogonalised
  double size_ = 0, next_ = 0;
  int m_ = 0;
};

}  // namespace limber
