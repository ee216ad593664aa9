#include "limber/linalg/solvers/corrected_solver.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "limber/linalg/solvers/hessenberg.hpp"

namespace limber {

void CorrectedSolver::multiply(const Vector& x, Vector& y) const {
  base_.multiply(x, y);
  correction_.add_product(x, y, space_);
}

SolveReport CorrectedSolver::solve(const Vector& b, Vector& x, double tolerance) {
  using Status = SolveReport::Status;
  if (space_.all(!correction_.any())) return base_.solve(b, x, tolerance);
  if (const auto whole = base_.solve_sum(correction_, b, x, tolerance)) return *whole;
  x.setZero(b.size());
  const double beta = space_.norm(b);
  if (beta == 0) return {};
  // Loose inner solves cost little and a few outer iterations more.
  const double inner_tolerance = 3e-2;
  const int most = static_cast<int>(correction_.U.cols()) + 60;
  std::vector<Vector> basis{b / beta}, directions;
  Hessenberg H(beta, most);
  int columns = 0;
  SolveReport report{.residual = 1};
  for (int k = 0; k < most; ++k) {
    Vector z, w;
    const SolveReport inner = base_.solve(basis.back(), z, inner_tolerance);
    report.iterations += inner.iterations;
    if (inner.status != Status::ok) return {inner.status, report.iterations, 1};
    multiply(z, w);
    directions.push_back(std::move(z));
    const double size = space_.norm(w);
    for (int pass = 0; pass < 2; ++pass)  // twice: the basis stays orthogonal to rounding
      for (int i = 0; i <= k; ++i) {
        const double c = space_.dot(basis[static_cast<std::size_t>(i)], w);
        H.at(i, k) += c;
        w -= c * basis[static_cast<std::size_t>(i)];
      }
    const double length = H.at(k + 1, k) = space_.norm(w);
    // Where the space holds no more, what is left of b may lie outside the range.
    const bool complete = length <= 1e-14 * size;
    const double rest = H.rotate(k);
    if (std::abs(H.at(k, k)) > 1e-14 * size) {
      columns = k + 1;
      report.residual = rest / beta;
    }
    if (report.residual <= tolerance) break;
    if (complete) {
      report.status = Status::singular;
      break;
    }
    if (k + 1 == most) report.status = Status::not_converged;
    basis.push_back(w / length);
  }
  const Vector y = H.solution(columns);
  for (Index i = 0; i < y.size(); ++i) x += y[i] * directions[static_cast<std::size_t>(i)];
  return report;
}

}  // namespace limber
