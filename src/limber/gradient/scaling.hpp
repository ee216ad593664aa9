#pragma once  // internal
/// What searches between bounds share: scaled variables u (ln x, or the place in the range), starts that fill the
/// bounds, and a count of what was tried.

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/core/types.hpp"
#include "limber/gradient/fit_variable.hpp"

namespace limber {

/// The value of a point that could not be evaluated.
constexpr double no_value = std::numeric_limits<double>::infinity();

/// From variables to scaled ones and back.
class Scaling {
 public:
  explicit Scaling(const std::vector<FitVariable>& variables) : variables_(variables) {}

  Vector scaled(const Vector& x) const;
  /// Between the bounds, and on them where u is.
  Vector values(const Vector& u) const;
  /// Also outside the bounds.
  Vector values_anywhere(const Vector& u) const;
  /// ∂x/∂u
  Vector slope(const Vector& x) const;
  /// Factors that make of u what has no range: ln x or x.
  Vector units() const;
  /// Of u in one step: a factor of ten, half the range.
  Vector longest_change() const;
  Vector low() const { return scaled(bound(&FitVariable::low)); }
  Vector high() const { return scaled(bound(&FitVariable::high)); }

  const std::string& name(Index i) const { return variables_[static_cast<std::size_t>(i)].name; }
  bool logarithmic(Index i) const { return variables_[static_cast<std::size_t>(i)].logarithmic; }
  /// "young = 1e5, poisson = 0.3"
  std::string text(const Vector& x) const;

 private:
  Vector bound(double FitVariable::*which) const;

  const std::vector<FitVariable>& variables_;
};

/// Throws InputError where bounds and start make no sense.
void check_ranges(const std::vector<FitVariable>& variables, const Vector& start);

/// Point `index` of Halton's sequence in (0, 1)ⁿ.
Vector halton(int index, Index n);

/// Notes the variables that ended at a bound; u: scaled.
void note_bounds(const Vector& u, const Scaling& scaling, std::vector<std::string>& notes);

/// The same failure, with the values at which it happened.
StepFailure explained(const Failed& failed, const std::string& values);

/// Counts evaluations, and says when to stop.
class Trials {
 public:
  /// After each evaluation: its number from 1, its value and the variables; false: there shall be no more.
  using Watch = std::function<bool(int evaluation, double value, const Vector& x)>;
  Trials(const Scaling& scaling, int most, Watch watch) : scaling_(scaling), most_(most), watch_(std::move(watch)) {}

  /// The value that f returns, or no_value if it throws StepFailure.
  double make(const Vector& x, const std::function<double()>& f);

  int count() const { return count_; }
  /// Why there are no more; else empty.
  const std::string& stopped() const { return stopped_; }
  /// Of the last evaluation.
  const std::optional<Failed>& failure() const { return failure_; }
  /// On the failures; empty if there were none.
  std::string note() const;

 private:
  const Scaling& scaling_;
  int most_;
  Watch watch_;
  int count_ = 0, failures_ = 0;
  std::optional<Failed> failure_;
  std::string last_failure_, stopped_;
};

}  // namespace limber
