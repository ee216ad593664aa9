#pragma once  // internal
/// Systems that keep the contact forces and replace the other forces:
///
///     LinearForce   f̄ − K̄ (q − q̄) − D̄ (v − v̄), the smooth forces linearised about ū: semi-implicit methods,
///     WithContact   smooth forces of one system and the contact forces of another, seen in a frame that has moved:
///                   f(w) = f_smooth(w) + f_con(w_q + shift_q, w_v + shift_v).

#include <memory>
#include <optional>

#include "limber/core/memo.hpp"
#include "limber/linalg/row_matrix.hpp"
#include "limber/model/system.hpp"

namespace limber {

/// Forwards everything to another system, unless overridden.
class SystemDecorator : public System {
 public:
  explicit SystemDecorator(System& base) : base_(base) {}
  SystemTraits traits() const override {
    SystemTraits t = base_.traits();
    t.contact = nullptr;
    t.gaps = nullptr;
    return t;
  }
  const MassMatrix& inertia() const override { return base_.inertia(); }

 protected:
  System& base_;
};

/// A x for one matrix and many x. Remembers the last product, since merits and forces are evaluated at the same x.
/// Several threads may ask at once.
class RememberedProduct {
 public:
  std::shared_ptr<const Vector> operator()(const System& system, const SparseMatrix& A, const Vector& x) const;

 private:
  std::shared_ptr<const RowMatrix> rows(const System& system, const SparseMatrix& A) const;

  Guarded<std::shared_ptr<const RowMatrix>> rows_;  // the matrix of the first call
  Memo<Vector, Vector> product_;
};

class LinearForce final : public SystemDecorator {
 public:
  /// Linearised about `at`, with K̄ and D̄ taken at `tangent_at` if given. `known`: a linearisation known already, or
  /// null.
  LinearForce(System& smooth, State at, const std::optional<State>& tangent_at, const Linearization* known);

  Vector force(const State& u) const override;
  /// On the pattern that T comes with, if any: that of the system may have grown since.
  Vector linearize(const State& u, Definiteness d, Tangent& T) override;
  /// Available if the smooth forces have potentials.
  std::optional<Potentials> potentials(const State& u) const override;

 private:
  State at_, tangent_at_;
  Vector f_;
  bool has_potential_;
  std::optional<Tangent> exact_, projected_;
  RememberedProduct K_, D_;
};

class WithContact final : public SystemDecorator {
 public:
  /// Takes contact forces from `whole` and the other forces from `smooth`. Empty shifts: none. `share`: factor of the
  /// contact forces.
  WithContact(System& whole, System& smooth, Vector shift_q = {}, Vector shift_v = {}, double share = 1)
      : SystemDecorator(whole),
        smooth_(smooth),
        shift_q_(std::move(shift_q)),
        shift_v_(std::move(shift_v)),
        share_(share) {}
  WithContact(const WithContact&) = delete;
  WithContact& operator=(const WithContact&) = delete;

  SystemTraits traits() const override {
    SystemTraits t = base_.traits();
    t.contact = part_.get();
    if (t.gaps) t.gaps = part_.get();
    return t;
  }
  Vector force(const State& w) const override { return smooth_.force(w) + share_ * all_forces().force(shifted(w)); }
  Vector linearize(const State& w, Definiteness d, Tangent& T) override;
  std::optional<Potentials> potentials(const State& w) const override;
  double max_step(const Vector& q, const Vector& dq, double t0, double t1) const override;

 private:
  /// Its ContactPart and NearGaps.
  struct Part final : ContactPart, NearGaps {
    explicit Part(WithContact& whole) : whole(whole) {}
    System& smooth() override { return whole.smooth_; }
    System& forces() override { return whole.all_forces(); }
    bool collides() const override { return whole.base_.contact()->collides(); }
    double smallest_gap(const State& w) const override { return whole.base_.smallest_gap(whole.shifted(w)); }
    Lag lag() const override { return whole.base_.lag(); }
    void update_lagged(const State& w) override { whole.base_.update_lagged(whole.shifted(w)); }
    void begin_iterates() override { whole.base_.contact()->begin_iterates(); }
    bool couple_again() override { return whole.base_.contact()->couple_again(); }
    std::string driven() const override { return whole.base_.contact()->driven(); }
    GapRule rule() const override { return GapRule::none; }
    GapConstraints at(const State& w, double until, double distance) override {
      return whole.base_.gaps(whole.shifted(w), until, distance);
    }
    WithContact& whole;
  };

  /// The contact forces of the unshifted system.
  System& all_forces() const { return base_.contact()->forces(); }
  State shifted(const State& w) const;

  System& smooth_;
  Vector shift_q_, shift_v_;
  double share_;
  Tangent smooth_tangent_;
  std::unique_ptr<Part> part_ = std::make_unique<Part>(*this);
};

}  // namespace limber
