#include "limber/solve/interior_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/linalg/blas_threads.hpp"

#ifdef LIMBER_HAS_IPOPT
#include <IpIpoptApplication.hpp>
#include <IpSolveStatistics.hpp>
#include <IpTNLP.hpp>
#endif

namespace limber {

#ifdef LIMBER_HAS_IPOPT

namespace {

using Ipopt::Number;
using Int = Ipopt::Index;

Eigen::Map<const Vector> values(const Number* x, Int n) { return {x, n}; }

/// Uses the unknown y = (x − x₀)/s and φ/(a s²), with a the least curvature and s the expected change of x: both are of
/// order one in any units.
class Program final : public Ipopt::TNLP {
 public:
  Program(NewtonProblem& problem, const SparseMatrix& C, const Vector& c, const Vector& start, double curvature)
      : problem_(problem), C_(C), start_(start) {
    const Vector r = problem_.linearize(start_, Definiteness::exact);
    if (!r.allFinite())  // local: one process
      throw StepFailure("interior point: the force is not finite at the start");
    const Vector missing = c - C_ * start_;
    const double far = start_.lpNorm<Eigen::Infinity>(), most = missing.maxCoeff();  // local: one process
    const double stiffest = problem_.matrix().A.diagonal().maxCoeff();               // local: one process
    const double push = r.lpNorm<Eigen::Infinity>();                                 // local: one process
    scale_ = std::max({most, push / stiffest, 1e-12 * (1 + far)});
    force_scale_ = curvature * scale_;
    bounds_ = missing / scale_;
    const auto value = problem_.potential(start_);
    if (!value || !std::isfinite(*value)) throw StepFailure("interior point: there is no potential at the start");
    offset_ = *value;
  }

  double scale() const { return scale_; }
  const Vector& solution() const { return solution_; }
  const Vector& multipliers() const { return multipliers_; }

  bool get_nlp_info(Int& n, Int& m, Int& jacobian, Int& hessian, IndexStyleEnum& style) override {
    n = static_cast<Int>(start_.size());
    m = static_cast<Int>(bounds_.size());
    jacobian = static_cast<Int>(C_.nonZeros());
    hessian = 0;
    each_hessian_entry([&](Int, Int, double) { ++hessian; });
    style = TNLP::C_STYLE;
    return true;
  }
  bool get_bounds_info(Int n, Number* least, Number* most, Int m, Number* c_least, Number* c_most) override {
    std::fill_n(least, n, -infinite);
    std::fill_n(most, n, infinite);
    std::copy_n(bounds_.data(), m, c_least);
    std::fill_n(c_most, m, infinite);
    return true;
  }
  bool get_starting_point(Int n, bool, Number* y, bool, Number*, Number*, Int, bool, Number*) override {
    std::fill_n(y, n, 0.0);
    return true;
  }
  bool eval_f(Int n, const Number* y, bool, Number& value) override {
    return evaluated([&] {
      value = (*problem_.potential(at(y, n)) - offset_) / (force_scale_ * scale_);
      return std::isfinite(value);
    });
  }
  bool eval_grad_f(Int n, const Number* y, bool, Number* gradient) override {
    return evaluated([&] {
      const Vector r = problem_.residual(at(y, n)) / force_scale_;
      std::copy_n(r.data(), n, gradient);
      return r.allFinite();  // local: one process
    });
  }
  bool eval_g(Int n, const Number* y, bool, Int m, Number* g) override {
    const Vector Cy = C_ * values(y, n);
    std::copy_n(Cy.data(), m, g);
    return true;
  }
  bool eval_jac_g(Int, const Number*, bool, Int, Int, Int* rows, Int* columns, Number* entries) override {
    Int k = 0;
    for (Index j = 0; j < C_.outerSize(); ++j)
      for (SparseMatrix::InnerIterator it(C_, j); it; ++it, ++k) {
        if (entries) {
          entries[k] = it.value();
        } else {
          rows[k] = static_cast<Int>(it.row());
          columns[k] = static_cast<Int>(it.col());
        }
      }
    return true;
  }
  bool eval_h(Int n, const Number* y, bool, Number factor, Int, const Number*, bool, Int, Int* rows, Int* columns,
              Number* entries) override {
    if (entries && !evaluated([&] {
          problem_.linearize(at(y, n), Definiteness::exact);
          return problem_.matrix().A.coeffs().allFinite();  // local: one process
        }))
      return false;
    Int k = 0;
    each_hessian_entry([&](Int i, Int j, double a) {
      if (entries) {
        entries[k] = factor * a * scale_ / force_scale_;
      } else {
        rows[k] = i;
        columns[k] = j;
      }
      ++k;
    });
    return true;
  }
  void finalize_solution(Ipopt::SolverReturn, Int n, const Number* y, const Number*, const Number*, Int m,
                         const Number*, const Number* lambda, Number, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    solution_ = at(y, n);
    multipliers_ = -force_scale_ * values(lambda, m);  // IPOPT's sign: φ + λ·(C x)
  }

 private:
  static constexpr double infinite = 1e20;  // IPOPT's value for unbounded

  Vector at(const Number* y, Int n) const { return start_ + scale_ * values(y, n); }
  /// Returns false if the forces cannot be evaluated; IPOPT then backtracks.
  template <class Evaluate>
  static bool evaluated(const Evaluate& evaluate) {
    heed_interrupts();
    bool good = false;
    failure_of([&] { good = evaluate(); });
    return good;
  }
  template <class Visit>
  void each_hessian_entry(const Visit& visit) const {
    const SparseMatrix& A = problem_.matrix().A;
    for (Index j = 0; j < A.outerSize(); ++j)
      for (SparseMatrix::InnerIterator it(A, j); it; ++it)
        if (it.row() >= it.col()) visit(static_cast<Int>(it.row()), static_cast<Int>(it.col()), it.value());
  }

  NewtonProblem& problem_;
  const SparseMatrix& C_;
  const Vector& start_;
  double scale_ = 1, force_scale_ = 1, offset_ = 0;
  Vector bounds_, solution_, multipliers_;
};

const char* reason(Ipopt::ApplicationReturnStatus status) {
  switch (status) {
    case Ipopt::Infeasible_Problem_Detected:
      return "no motion keeps all gaps open";
    case Ipopt::Maximum_Iterations_Exceeded:
      return "no convergence";
    case Ipopt::Search_Direction_Becomes_Too_Small:
      return "its steps become too small";
    case Ipopt::Diverging_Iterates:
      return "the iterates diverge";
    case Ipopt::Restoration_Failed:
      return "no point nearer to what is allowed was found";
    case Ipopt::Error_In_Step_Computation:
      return "the linear system cannot be solved";
    case Ipopt::Invalid_Number_Detected:
      return "a force or its derivative is not finite";
    case Ipopt::Not_Enough_Degrees_Of_Freedom:
      return "too few degrees of freedom";
    default:
      return "it failed";
  }
}

void set_options(Ipopt::IpoptApplication& app, const InteriorPointOptions& options, double tolerance) {
  auto& o = *app.Options();
  o.SetIntegerValue("print_level", 0);
  o.SetStringValue("sb", "yes");
  o.SetStringValue("nlp_scaling_method", "none");  // Program scales the problem itself
  o.SetStringValue("linear_solver", "mumps");
  o.SetIntegerValue("mumps_pivot_order", 0);  // minimum degree: a reproducible order
  o.SetStringValue("jac_c_constant", "yes");
  o.SetStringValue("jac_d_constant", "yes");
  o.SetStringValue("mu_strategy", "adaptive");
  o.SetIntegerValue("max_iter", options.max_iterations);
  o.SetNumericValue("bound_relax_factor", 1e-10);
  o.SetNumericValue("tol", tolerance);
  o.SetNumericValue("dual_inf_tol", tolerance);
  o.SetNumericValue("constr_viol_tol", tolerance);
  o.SetNumericValue("compl_inf_tol", tolerance);
  o.SetNumericValue("acceptable_tol", 100 * tolerance);  // rounding may hide the last digits
  o.SetIntegerValue("acceptable_iter", 5);
}

InteriorPointSolution solve_with_all(NewtonProblem& problem, const SparseMatrix& C, const Vector& c,
                                     const Vector& start, const InteriorPointOptions& options) {
  Ipopt::SmartPtr<Program> program = new Program(problem, C, c, start, options.curvature);
  Ipopt::SmartPtr<Ipopt::IpoptApplication> app = new Ipopt::IpoptApplication(false);
  app->RethrowNonIpoptException(true);
  set_options(*app, options, std::clamp(options.tolerance / program->scale(), 1e-10, 1e-6));
  if (app->Initialize("") != Ipopt::Solve_Succeeded) throw StepFailure("interior point: IPOPT does not start");
  const auto status = app->OptimizeTNLP(Ipopt::SmartPtr<Ipopt::TNLP>(program));
  const int iterations = Ipopt::IsValid(app->Statistics()) ? app->Statistics()->IterationCount() : 0;
  if (status != Ipopt::Solve_Succeeded && status != Ipopt::Solved_To_Acceptable_Level)
    throw StepFailure(fmt::format("interior point: {} ({} iterations)", reason(status), iterations), iterations);
  return {program->solution(), program->multipliers().cwiseMax(0), iterations};
}

/// Adds the rows of C x ≥ c that x violates, and those within a tenth of the largest violation, which would be violated
/// next. At first at least one. Returns whether there were any.
bool add_violated(const SparseMatrix& C, const Vector& c, const Vector& x, double allowed, std::vector<Index>& rows) {
  Vector missing = c - C * x;
  for (const Index i : rows) missing[i] = -std::numeric_limits<double>::infinity();
  const double most = missing.maxCoeff();  // local: one process
  if (!(most > allowed) && !rows.empty()) return false;
  for (Index i = 0; i < missing.size(); ++i)
    if (missing[i] >= most - std::max(allowed, 1.1 * most)) rows.push_back(i);
  return true;
}

/// These rows of the identity.
SparseMatrix selection(const std::vector<Index>& rows, Index all) {
  SparseMatrix S(static_cast<Index>(rows.size()), all);
  std::vector<Eigen::Triplet<double>> ones;
  for (std::size_t k = 0; k < rows.size(); ++k) ones.emplace_back(static_cast<int>(k), static_cast<int>(rows[k]), 1);
  S.setFromTriplets(ones.begin(), ones.end());
  return S;
}

}  // namespace

bool has_interior_point() { return true; }

InteriorPointSolution solve_interior_point(NewtonProblem& problem, const SparseMatrix& C, const Vector& c,
                                           const Vector& start, const InteriorPointOptions& options) {
  pin_blas_threads();
  const SerialOpenMp serial;
  // As many rows as unknowns can be active, in general. Where there are more, most of them do nothing but cost time.
  if (c.size() <= start.size()) return solve_with_all(problem, C, c, start, options);
  std::vector<Index> rows;
  InteriorPointSolution found{start, Vector::Zero(c.size()), 0};
  while (add_violated(C, c, found.x, options.tolerance, rows)) {
    const SparseMatrix S = selection(rows, c.size());
    const InteriorPointSolution next = solve_with_all(problem, S * C, S * c, found.x, options);
    found = {next.x, S.transpose() * next.multipliers, found.iterations + next.iterations};
  }
  return found;
}

#else

bool has_interior_point() { return false; }

InteriorPointSolution solve_interior_point(NewtonProblem&, const SparseMatrix&, const Vector&, const Vector&,
                                           const InteriorPointOptions&) {
  throw StepFailure("interior point: the program is built without IPOPT");
}

#endif

}  // namespace limber
