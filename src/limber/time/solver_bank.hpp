#pragma once  // internal
/// Linear solvers for stage matrices, one for each pair (τ_q, τᵥ) that a scheme uses (TR-BDF2: ¼h and ⅓h), so that
/// solving one stage does not discard the factor retained for another.

#include <memory>
#include <string>
#include <vector>

#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

class SolverBank {
 public:
  /// Throws InputError for an unknown solver.
  SolverBank(std::string name, Symmetry symmetry, UnknownNodes nodes);

  /// The solver of this pair. When the bank is full, a new pair replaces the least recently used one.
  LinearSolver& at(double tau_q, double tau_v);
  SolverCounts counts() const;

 private:
  struct Entry {
    double tau_q, tau_v;
    std::unique_ptr<LinearSolver> solver;
  };
  static constexpr std::size_t most = 2;

  std::string name_;
  Symmetry symmetry_;
  UnknownNodes nodes_;
  std::vector<Entry> entries_;  // most recently used first
};

}  // namespace limber
