#pragma once  // internal
/// Follows equilibria r(q, s) = 0 from s = 0 to s = 1 by their arc length, also where s turns back (limit points) and
/// where they are unstable. Predictor: the tangent K q' + ∂r/∂s s' = 0. Corrector: Newton in (q, s) on the plane across
/// the tangent, without a line search: where it does not converge fast, the step is shortened. Steps grow and shrink by
/// its iterations.

#include "limber/solve/equilibrium.hpp"

namespace limber {

/// Where it ends at s = 1. Throws StepFailure if it does not come there, which says what the largest load was.
Vector follow_equilibria(AppliedLoad& load, Vector q, LinearSolver& linear, const NewtonOptions& options,
                         StaticsReport& report);

}  // namespace limber
