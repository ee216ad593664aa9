#pragma once
/// A user-defined force f(q, v, t) given by functions of the whole state (3N each), with or without its tangent K =
/// −∂f/∂q [N/m], D = −∂f/∂v [N·s/m] (3N × 3N). Without K or D, Newton's matrix lacks them: implicit methods reach the
/// same solution more slowly, and semi-implicit ones treat the force explicitly.

#include <functional>
#include <string>

#include "limber/model/force.hpp"

namespace limber {

struct ForceCallbacks {
  using Values = std::function<Vector(const Vector& q, const Vector& v, double t)>;
  using Entries = std::function<SparseMatrix(const Vector& q, const Vector& v, double t)>;
  using Scalar = std::function<double(const Vector& q, const Vector& v, double t)>;

  Values force;
  Entries stiffness, damping;     // optional; full matrices, even if symmetric
  Scalar potential, dissipation;  // optional: W(q, t) [J] and R(v) [W] with f = −∂W/∂q − ∂R/∂v
};

/// The declared symmetry of K and D.
enum class TangentSymmetry { symmetric, general };

class CallbackForce : public Force, public DampingForce {
 public:
  /// K and D at `start` (3N) declare the pattern: the nodes coupled now and later (a stored zero counts). Throws
  /// InputError("force 'name'", …) for a missing force, a result of wrong size, a tangent without the declared
  /// symmetry, or, later, an entry outside the declared pattern.
  CallbackForce(std::string name, ForceCallbacks callbacks, TangentSymmetry symmetry, const State& start);

  /// Velocity-dependent unless there is a potential without damping.
  ForceTraits traits() const override;
  void add_couplings(std::vector<std::pair<int, int>>& pairs) const override;
  void add_force(const State& u, Vector& f) const override;
  /// The given tangent without projection: a callback cannot be projected.
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  /// v · D v, if D is given.
  double damping_power(const State& u) const override;
  double driving_work(const Travel& step, const State& u) const override;

 private:
  SparseMatrix evaluate(const ForceCallbacks::Entries& entries, const char* what, const State& u) const;
  void declare(const SparseMatrix& A, const char* what);
  void add_entries(const SparseMatrix& A, const char* what, double* values, const TangentBuilder& T) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::string name_;
  ForceCallbacks callbacks_;
  TangentSymmetry symmetry_;
  std::vector<std::pair<int, int>> declared_;  // (column node, row node), ascending
};

}  // namespace limber
