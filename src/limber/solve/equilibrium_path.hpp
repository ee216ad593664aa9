#pragma once  // internal
/// Follows equilibria r(q, s) = 0 from s = 0 to s = 1 by arc length, past limit points (where s turns back) and along
/// unstable branches. Predictor: the tangent K q' + ∂r/∂s s' = 0. Corrector: Newton in (q, s) on the plane normal to
/// the tangent, without line search; if it does not converge fast, the step is shortened. The number of its iterations
/// sets the next step length.

#include "limber/solve/equilibrium.hpp"

namespace limber {

/// The equilibrium at s = 1. Throws StepFailure if the path does not reach it; the message gives the largest load
/// reached.
Vector follow_equilibria(AppliedLoad& load, Vector q, LinearSolver& linear, const NewtonOptions& options,
                         StaticsReport& report);

}  // namespace limber
