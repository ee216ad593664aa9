#pragma once  // internal
/// Densities and Young's moduli of the elements of a coarse body that make it answer as the fine one does.
///
/// Densities first, ρ_e = s_e ρ⁰_e: the fine body's first modes φ and rigid motions are to have the same inertia,
/// Σ_e s_e φᵢᵀM_eφⱼ = φᵢᵀMφⱼ, in the least squares with (s − 1)² by volume, 1/5 ≤ s ≤ 5; mass and centre of mass are
/// kept exactly.
///
/// Then moduli, E_e = E⁰_e exp p_e, in the least squares of the first frequencies, of what loads in proportion to the
/// mass and the scene's own do (fᵢᵀK⁻¹fⱼ), of K⁻¹Mφ = φ/λ, and of p by volume. Derivatives are exact: ∂λ/∂p_e = E_e
/// xᵀK_e x and ∂(fᵢᵀK⁻¹fⱼ)/∂p_e = −uᵢᵀK_e uⱼ. There are far fewer numbers to match than elements, and the p with the
/// least squares is a combination of their derivatives by p: only these combinations are varied. They are found anew in
/// each round.

#include <functional>

#include "limber/scene/coarsen/rest_body.hpp"

namespace limber {

/// What the fine body does.
struct FineResponse {
  Vector lambda;        // #n elastic modes [1/s²]
  Matrix modes;         // 3N × n, on all nodes
  Matrix modal_mass;    // of modes and rigid motions, ordered as in `motions`
  Matrix motions;       // 3N × (n + 6), each with φᵀMφ = 1
  double mass = 0;      // [kg] of its elements
  Vec3 centre;          // [m] of this mass
  double reach = 0;     // [m] from there to the farthest node
  double shift = 0;     // σ [1/s²] in (K + σM)⁻¹; above 0 where rigid motions are possible
  Matrix work;          // fᵢᵀ(K + σM)⁻¹fⱼ of the loads
  Matrix work_of_mode;  // φᵢᵀfⱼ, n × #loads
};

/// `loads`: the scene's own, 3N or empty. Throws InputError("-n", …) where there are fewer modes.
FineResponse fine_response(const RestBody& fine, const LiveBody& placed, MassForm mass, int n, const Vector& loads);

/// A coarse body, by its scene with one number for each element in the fields `young` and `density` of its mesh.
struct CoarseProblem {
  Scene alone;
  Matrix modes, motions;        // the fine body's, at the coarse nodes
  Vector loads;                 // the scene's own, at the coarse nodes; empty: none
  std::vector<double> young;    // #E, to start from
  std::vector<double> density;  // #E, to start from
};

/// Sets a field of the mesh.
void set_cell_field(Scene& alone, const std::string& name, const std::vector<double>& values);

std::vector<double> equal_densities(const CoarseProblem& problem, const FineResponse& fine);

struct EqualModuli {
  std::vector<double> young;
  Vector lambda;  // #n, of the coarse modes that stand for the fine ones
  bool converged = false;
  Vector self_weight;  // what its weight along x, y, z does, fᵀu, in parts of the fine body's
};
/// `progress`: what was reached; false ends the search with the best so far.
EqualModuli equal_moduli(const CoarseProblem& problem, const std::vector<double>& density, const FineResponse& fine,
                         const std::function<bool(const std::string&)>& progress);

/// For each mode φ the mode x of another system that stands for it, #n: pairs with the most in `common`, (xᵀMφ)², #x ×
/// #φ, come first. φ with nearly the same λ have theirs in ascending order.
std::vector<Index> matching_modes(const Matrix& common, const Vector& lambda);

/// The elastic modes of a coarse body that stand for the fine ones.
struct MatchedModes {
  Vector lambda;  // #n
  Matrix X;       // unknowns × n
};
/// `mass_times_shapes`: Mφ of the fine body's modes, on the unknowns.
MatchedModes matched_modes(const RestBody& coarse, const Matrix& mass_times_shapes, const FineResponse& fine);

}  // namespace limber
