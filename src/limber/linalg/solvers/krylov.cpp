#include "limber/linalg/solvers/krylov.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/core/interrupt.hpp"
#include "limber/linalg/chunks.hpp"
#include "limber/linalg/solvers/hessenberg.hpp"

namespace limber {
namespace {

using End = KrylovResult::End;

/// y += a x
void add(double a, const Vector& x, Vector& y) {
  for_chunks(x.size(), [&](Index begin, Index end) {
    const double* __restrict xx = x.data();
    double* __restrict yy = y.data();
    for (Index i = begin; i < end; ++i) yy[i] += a * xx[i];
  });
}

double dot(const Space& space, const Vector& x, const Vector& y) {
  return space.shared() ? space.dot(x, y) : chunked_dot(x, y);
}
double norm(const Space& space, const Vector& x) { return std::sqrt(dot(space, x, x)); }

/// x += α p, r −= α q; returns rᵀr.
double advance(const Space& space, double alpha, const Vector& p, const Vector& q, Vector& x, Vector& r) {
  const double here = sum_chunks(x.size(), [&](Index begin, Index end) {
    const double* __restrict pp = p.data(), * __restrict qq = q.data();
    double* __restrict xx = x.data(), * __restrict rr = r.data();
    for (Index i = begin; i < end; ++i) {
      xx[i] += alpha * pp[i];
      rr[i] -= alpha * qq[i];
    }
    return space.shared() ? 0 : serial_dot(end - begin, rr + begin, rr + begin);
  });
  return space.shared() ? space.dot(r, r) : here;
}

/// p = z + β p
void next_direction(double beta, const Vector& z, Vector& p) {
  for_chunks(z.size(), [&](Index begin, Index end) {
    const double* __restrict zz = z.data();
    double* __restrict pp = p.data();
    for (Index i = begin; i < end; ++i) pp[i] = zz[i] + beta * pp[i];
  });
}

/// Counts iterations, follows the best residual and decides when to end.
class Progress {
 public:
  Progress(const KrylovLimits& limits, double scale) : limits_(limits), scale_(scale) {}

  /// After an iteration that left ‖r‖ = `norm`: whether to stop.
  bool stop(double norm) {
    heed_interrupts();
    ++result_.iterations;
    result_.residual = norm / scale_;
    best_ = std::min(best_, result_.residual);
    result_.predicted = best_ < 1 ? result_.iterations * std::log(limits_.tolerance) / std::log(best_)
                                  : std::numeric_limits<double>::infinity();
    if (result_.residual <= limits_.tolerance) {
      result_.end = End::converged;
      result_.predicted = result_.iterations;
      return true;
    }
    if (!std::isfinite(norm) || result_.iterations >= limits_.max_iterations) return true;
    return limits_.go_on && !limits_.go_on(result_.iterations, result_.predicted);
  }

  KrylovResult& result() { return result_; }

 private:
  const KrylovLimits& limits_;
  double scale_, best_ = 1;
  KrylovResult result_;
};

/// x = 0 is the answer (‖b‖ = 0), or there is none (b is not finite).
bool trivial(double norm_b, KrylovResult& result) {
  if (norm_b == 0) result = {End::converged, 0, 0, 0};
  return !(norm_b > 0) || !std::isfinite(norm_b);
}

/// Iterations of GMRES before it starts again: short ones stall where the condition is bad, long ones take memory, two
/// vectors for each.
int restart_length(Index n) {
  constexpr Index shortest = 40, longest = 400, numbers = 2'000'000;  // that are kept, where n is not large
  return static_cast<int>(std::clamp(numbers / std::max<Index>(n, 1), shortest, longest));
}

void residual(const LinearMap& A, const Vector& b, const Vector& x, Vector& r) {
  A.multiply(x.data(), r.data());
  for_chunks(b.size(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) r[i] = b[i] - r[i];
  });
}

/// Conjugate gradients from x with the residual w.r; product(): w.q = A w.p, returns w.pᵀw.q.
template <class Product>
void descend(const Space& space, const Product& product, Preconditioner& M, Vector& x, KrylovWork& w,
             Progress& progress) {
  double rz = M.apply(w.r, w.z);
  w.p = w.z;
  for (;;) {
    const double curvature = product();
    if (!(curvature > 0) || !(rz > 0)) {
      // An M that lost its definiteness to rounding says nothing of A.
      if (curvature <= 0 && std::isfinite(curvature) && std::isfinite(rz)) progress.result().end = End::indefinite;
      return;
    }
    const double norm_r = std::sqrt(advance(space, rz / curvature, w.p, w.q, x, w.r));
    if (progress.stop(norm_r)) return;
    const double next = M.apply(w.r, w.z);
    next_direction(next / rz, w.z, w.p);
    rz = next;
  }
}

/// One cycle on the residual w.r: adds the correction to x; returns whether to stop.
bool gmres_cycle(const LinearMap& A, Preconditioner& M, Vector& x, KrylovWork& w, double beta, Progress& progress) {
  const int longest = static_cast<int>(w.preconditioned.size());
  Hessenberg H(beta, longest);
  w.basis[0] = w.r / beta;
  int k = 0;
  bool stop = false;
  while (k < longest && !stop) {
    Vector& next = w.basis[k + 1];
    next.resize(x.size());
    w.preconditioned[k].resize(x.size());
    M.apply(w.basis[k], w.preconditioned[k]);
    A.multiply(w.preconditioned[k].data(), next.data());
    for (int i = 0; i <= k; ++i) {
      H.at(i, k) = dot(A.space(), next, w.basis[i]);
      add(-H.at(i, k), w.basis[i], next);
    }
    const double length = norm(A.space(), next);
    H.at(k + 1, k) = length;
    stop = progress.stop(H.rotate(k)) || length == 0;
    if (H.regular(k)) ++k;
    if (length > 0) next /= length;
  }
  const Vector y = H.solution(k);
  for (int i = 0; i < k; ++i) add(y[i], w.preconditioned[i], x);
  return stop;
}

}  // namespace

KrylovResult pcg(const RowMatrix& A, Preconditioner& M, const Vector& b, Vector& x, const KrylovLimits& limits,
                 KrylovWork& w) {
  x.setZero(b.size());
  const double norm_b = norm(A.space(), b);
  Progress progress(limits, norm_b);
  KrylovResult& result = progress.result();
  if (trivial(norm_b, result)) return result;
  w.r = b;
  w.z.resize(b.size());
  w.q.resize(b.size());
  if (limits.rounding > 0) {
    descend(
        A.space(), [&] { return A.multiply_dot_rounded(w.p.data(), w.q.data()); }, M, x, w, progress);
    if (result.end == End::stopped) return result;
    if (result.end == End::indefinite && !(A.multiply_dot(w.p.data(), w.q.data()) > 0)) return result;
    if (result.end == End::converged && limits.rounding * norm(A.space(), x) <= limits.tolerance * norm_b)
      return result;
    residual(A, b, x, w.r);
    const double left = norm(A.space(), w.r) / norm_b;
    if (result.end == End::converged && left <= 2 * limits.tolerance) return result;
    result.end = End::stopped;
  }
  descend(
      A.space(), [&] { return A.multiply_dot(w.p.data(), w.q.data()); }, M, x, w, progress);
  return result;
}

KrylovResult gmres(const LinearMap& A, Preconditioner& M, const Vector& b, Vector& x, const KrylovLimits& limits,
                   KrylovWork& w) {
  const Index n = b.size();
  x.setZero(n);
  const double norm_b = norm(A.space(), b);
  Progress progress(limits, norm_b);
  KrylovResult& result = progress.result();
  if (trivial(norm_b, result)) return result;
  const auto longest = static_cast<std::size_t>(restart_length(A.space().global_size(n)));
  w.basis.resize(longest + 1);
  w.preconditioned.resize(longest);
  w.r = b;
  double beta = norm_b;
  for (;;) {
    const bool stop = gmres_cycle(A, M, x, w, beta, progress);
    residual(A, b, x, w.r);
    beta = norm(A.space(), w.r);
    result.residual = beta / norm_b;
    // The recursion may run a little ahead of the true residual, which alone counts.
    if (result.end == End::converged && result.residual <= 2 * limits.tolerance) return result;
    if (stop && result.end != End::converged) return result;
    if (result.iterations >= limits.max_iterations || !std::isfinite(beta)) {
      result.end = End::stopped;
      return result;
    }
    result.end = End::stopped;
  }
}

}  // namespace limber
