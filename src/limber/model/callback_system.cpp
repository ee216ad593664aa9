#include "limber/model/callback_system.hpp"

#include <fmt/format.h>

#include <cmath>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

/// The values of A on the pattern of `onto`; false if an entry of A is outside it.
bool place(const SparseMatrix& A, SparseMatrix& onto) {
  std::fill_n(onto.valuePtr(), onto.nonZeros(), 0.0);
  for (int j = 0; j < A.outerSize(); ++j) {
    int at = onto.outerIndexPtr()[j];
    const int end = onto.outerIndexPtr()[j + 1];
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
      while (at < end && onto.innerIndexPtr()[at] < it.row()) ++at;
      if (at == end || onto.innerIndexPtr()[at] != it.row()) return false;
      onto.valuePtr()[at] = it.value();
    }
  }
  return true;
}

/// A with explicit zeros where only B has entries.
SparseMatrix on_union(const SparseMatrix& A, const SparseMatrix& B) {
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int j = 0; j < A.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) entries.emplace_back(it.row(), j, it.value());
    for (SparseMatrix::InnerIterator it(B, j); it; ++it) entries.emplace_back(it.row(), j, 0.0);
  }
  SparseMatrix C(A.rows(), A.cols());
  C.setFromTriplets(entries.begin(), entries.end());
  return C;
}

}  // namespace

CallbackSystem::CallbackSystem(const SparseMatrix& M, Functions functions)
    : functions_(std::move(functions)), mass_(M), solver_mass_(M) {
  if (M.rows() != M.cols() || M.rows() == 0)
    throw InputError("M", fmt::format("a square matrix is needed, got {} × {}", M.rows(), M.cols()));
  mass_.makeCompressed();
  solver_mass_.makeCompressed();
  solver_ = make_linear_solver("auto", Symmetry::general);
  solver_->set_matrix(solver_mass_);
  Vector x;
  if (solver_->solve(Vector::Ones(M.rows()), x, 1e-14).status != SolveReport::Status::ok)
    throw InputError("M", "the mass matrix is singular");
}

Vector CallbackSystem::solve_mass(const Vector& f) const {
  Vector x;
  if (solver_->solve(f, x, 1e-14).status != SolveReport::Status::ok)
    throw StepFailure("the mass matrix could not be solved with");
  return x;
}

Vector CallbackSystem::force(const State& u) const {
  Vector f = functions_.force(u);
  if (f.size() != size()) throw InputError("force", fmt::format("returned {} numbers, expected {}", f.size(), size()));
  return f;
}

void CallbackSystem::tangent(const State& u, Definiteness, Tangent& T) const {
  const auto checked = [&](const SparseMatrix& A, const char* name) {
    if (A.rows() != size() || A.cols() != size())
      throw InputError(name,
                       fmt::format("returned a {} × {} matrix, expected {} × {}", A.rows(), A.cols(), size(), size()));
    return A;
  };
  const SparseMatrix K =
      functions_.stiffness ? checked(functions_.stiffness(u), "stiffness") : difference(u, With::positions);
  const SparseMatrix D =
      functions_.damping ? checked(functions_.damping(u), "damping") : difference(u, With::velocities);
  T.K = T.D = mass_;
  if (place(K, T.K) && place(D, T.D)) return;
  mass_ = on_union(on_union(mass_, K), D);
  T.K = T.D = mass_;
  place(K, T.K);
  place(D, T.D);
}

SparseMatrix CallbackSystem::difference(const State& u, With respect) const {
  const Index n = size();
  Matrix A(n, n);
  State w = u;
  Vector& x = respect == With::positions ? w.q : w.v;
  for (Index j = 0; j < n; ++j) {
    const double x0 = x[j];
    const double e = 1e-3 * std::max(1.0, std::abs(x0));
    const auto f = [&](double s) {
      x[j] = x0 + s * e;
      return force(w);
    };
    const Vector outer = f(2) - f(-2), inner = f(1) - f(-1);
    A.col(j) = (outer - 8 * inner) / (12 * e);  // −∂f/∂x
    x[j] = x0;
  }
  return A.sparseView(0, 0);
}

}  // namespace limber
