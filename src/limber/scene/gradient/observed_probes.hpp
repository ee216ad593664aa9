#pragma once  // internal
/// Probes of a run whose positions were observed.

#include <array>
#include <string>
#include <vector>

#include "limber/scene/gradient/differentiable_run.hpp"
#include "limber/scene/gradient/observations.hpp"

namespace limber {

/// Of each column. Throws InputError where the scene has not such a probe, or a time lies outside the run.
std::vector<const Probe*> observed_probes(const Observations& observed, const DifferentiableRun& run);
/// Throws InputError(where, …) outside of the run.
void require_time_within(double t, const DifferentiableRun& run, const std::string& where);

/// to += ∂(gᵀx)/∂q for the place x of a probe.
void add_probe_adjoint(const Probe& probe, const Vector& q, const Vec3& g, Vector& to);

/// Rounding of times [s].
constexpr double time_tolerance = 1e-9;

}  // namespace limber
