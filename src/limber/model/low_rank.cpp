#include "limber/model/low_rank.hpp"

#include <fmt/format.h>

#include <vector>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

std::vector<int> rows_in_use(const Matrix& U) {
  std::vector<int> rows;
  for (Index i = 0; i < U.rows(); ++i)
    if ((U.row(i).array() != 0).any()) rows.push_back(static_cast<int>(i));
  return rows;
}

}  // namespace

void LowRank::add_product(const Vector& x, Vector& y) const {
  for (Index k = 0; k < c.size(); ++k) y += (c[k] * U.col(k).dot(x)) * U.col(k);
}

void LowRank::add_product(const Matrix& X, Matrix& Y) const {
  for (Index j = 0; j < X.cols(); ++j)
    for (Index k = 0; k < c.size(); ++k) Y.col(j) += (c[k] * U.col(k).dot(X.col(j))) * U.col(k);
}

double LowRank::curvature(const Vector& x) const {
  double sum = 0;
  for (Index k = 0; k < c.size(); ++k) {
    const double along = U.col(k).dot(x);
    sum += c[k] * along * along;
  }
  return sum;
}

Vector LowRank::diagonal() const {
  Vector d = Vector::Zero(U.rows());
  for (Index k = 0; k < c.size(); ++k) d += c[k] * U.col(k).cwiseAbs2();
  return d;
}

SparseMatrix with_entries(const SparseMatrix& A, const LowRank& more, double scale, Triangle stored) {
  if (!more.any()) return A;
  SparseMatrix sum = A;
  for (Index k = 0; k < more.c.size(); ++k) {
    const std::vector<int> rows = rows_in_use(more.U.col(k));
    SparseMatrix one(A.rows(), A.cols());
    std::vector<int> counts(static_cast<std::size_t>(A.cols()), 0);
    for (std::size_t j = 0; j < rows.size(); ++j)
      counts[static_cast<std::size_t>(rows[j])] =
          static_cast<int>(stored == Triangle::lower ? rows.size() - j : rows.size());
    one.reserve(counts);
    for (std::size_t j = 0; j < rows.size(); ++j)
      for (std::size_t i = stored == Triangle::lower ? j : 0; i < rows.size(); ++i)
        one.insert(rows[i], rows[j]) = scale * more.c[k] * more.U(rows[i], k) * more.U(rows[j], k);
    one.makeCompressed();
    sum = SparseMatrix(sum + one);
  }
  return sum;
}

void require_entries(const LowRank& all) {
  constexpr std::size_t most = 12000;  // the lower triangle then takes 0.9 GB
  for (Index k = 0; k < all.c.size(); ++k)
    if (const std::size_t n = rows_in_use(all.U.col(k)).size(); n > most)
      throw InputError(
          "modes", fmt::format("a cavity couples {} unknowns with each other, and modes can be found for {} at most; "
                               "use a coarser mesh, or a method without modes",
                               n, most));
}

}  // namespace limber
