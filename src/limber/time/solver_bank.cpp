#include "limber/time/solver_bank.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

/// Equal steps differ by rounding, since they are differences of times.
bool same_factor(double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(a); }

}  // namespace

SolverBank::SolverBank(std::string name, Symmetry symmetry, UnknownNodes nodes)
    : name_(std::move(name)), symmetry_(symmetry), nodes_(nodes) {
  make_linear_solver(name_, symmetry_);
}

LinearSolver& SolverBank::at(double tau_q, double tau_v) {
  auto it = std::find_if(entries_.begin(), entries_.end(),
                         [&](const Entry& e) { return same_factor(e.tau_q, tau_q) && same_factor(e.tau_v, tau_v); });
  if (it == entries_.end() && entries_.size() < most) {
    it = entries_.insert(entries_.end(), {tau_q, tau_v, make_linear_solver(name_, symmetry_, nodes_)});
  } else if (it == entries_.end()) {
    it = entries_.end() - 1;
    it->tau_q = tau_q;
    it->tau_v = tau_v;
    it->solver->reset();
  }
  std::rotate(entries_.begin(), it, it + 1);
  return *entries_.front().solver;
}

SolverCounts SolverBank::counts() const {
  SolverCounts sum;
  for (const auto& e : entries_) sum += e.solver->counts();
  return sum;
}

}  // namespace limber
