#pragma once  // internal
/// How the modes of a hybrid change with the parameters of a motion, one column of changes for each. They are found at
/// the start of a step from M and the symmetric part of K there, K X = M X Λ with XᵀM X = I, and turn with their bodies
/// until they are found anew. A change δX in the complement of the modes obeys
///
///     Pᵀ(K δX − M δX Λ) = −Pᵀ(δK X − δM X Λ).
///
/// Which modes are taken, and when they are found anew, is held.

#include <functional>
#include <memory>
#include <vector>

#include "limber/gradient/variation.hpp"
#include "limber/model/mechanical_system.hpp"
#include "limber/time/modal/subspace.hpp"

namespace limber {

/// The symmetric part of K, times each column.
Matrix modal_stiffness(const System& system, const Tangent& tangent, const Matrix& X);

class ModeChanges {
 public:
  explicit ModeChanges(Index columns) : changes_(static_cast<std::size_t>(columns)) {}

  /// δK X and δM X.
  struct Products {
    Matrix stiffness, mass;
  };
  /// A substep begins at u with these modes. Asks for the products of all columns if modes have been found there.
  void begin_step(System& system, const HeldModes& modes, const State& u, const Matrix& change_of_q,
                  const std::function<Products(Index column, const Matrix& X)>& products);
  /// The modes, changed by a multiple of a column, at q.
  std::shared_ptr<const HeldModes> at(const System& system, const HeldModes& modes, Index column, double factor,
                                      const Vector& q) const;

 private:
  struct Change {
    Matrix X;
    Vector at;
  };
  std::shared_ptr<const KeptModes> kept_;
  std::vector<Change> changes_;
};

}  // namespace limber
