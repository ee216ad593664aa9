#pragma once  // internal
/// Hybrids with contact: contact stays wholly implicit. With x̂(t) the motion of the modes from u₀ under all forces at
/// u₀, the scheme sees w = u − (modal part of x̂), which obeys
///
///     M ẅ = Pᵀf_smooth(q_e, v_e, t) + f_con(u) − M X Xᵀ f_con(u₀),   q_e = x̂_m + P w,
///
/// so modes follow x̂ except for changes of contact during the step, and the scheme integrates these with its stages
/// and its history. At rest x̂ is constant: v = 0, and the contact force balances the weight.

#include "limber/time/catalog.hpp"
#include "limber/time/dynamics.hpp"
#include "limber/time/modal/prediction.hpp"

namespace limber {

class LinearForce;

class ModalFrame final : public Dynamics {
 public:
  /// `system` has contact forces; `modes` are those of its smooth forces, begun at u₀. `newton` solves every stage.
  ModalFrame(System& system, StageSolver& newton, ModalSubspace& modes, Splitting rule, StageSolution solution);

  /// The limits on modes in a step of length h. A mode below the lowest λ grows more than e-fold, so its motion
  /// linearised at the start is meaningless at the end. Changes of its motion by contact are not damped by its own
  /// damping, so that must be weak. (Strongly damped modes need no exact treatment anyway.)
  static ModalLimits limits(const ModalSubspace& modes, double h, ModalLimits others = {});

  State rate(const State& w) override;
  State solve(const Stage& s) override;
  State exponential(const State& w, double) override { return w; }

  /// Transformations into the frame and out of it.
  History into_frame(const History& u);
  State from_frame(const State& w);

 private:
  struct Shift {  // X Δa(t), X b(t)
    double t;
    Vector q, v;
  };
  const Shift& shift(double t);
  void require_definite(LinearForce& force, const Stage& stage) const;

  System& system_;
  StageSolver& newton_;
  ModalSubspace& modes_;
  Splitting rule_;
  StageSolution solution_;
  Vector start_modal_;  // X XᵀM q₀
  Vector held_;         // M X Xᵀ f_con(u₀)
  Vector f_;            // all forces at u₀
  std::vector<Shift> shifts_;
};

}  // namespace limber
