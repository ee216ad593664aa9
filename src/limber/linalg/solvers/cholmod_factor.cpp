#include "limber/linalg/solvers/factor.hpp"

#ifdef LIMBER_HAS_SUITESPARSE

#include <cholmod.h>
#include <fmt/format.h>
#include <metis.h>

#include <cstring>
#include <mutex>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/linalg/blas_threads.hpp"

namespace limber {
namespace {

/// A sparse matrix as CHOLMOD sees it: lower triangle, arrays owned by A.
cholmod_sparse view(const SparseMatrix& A) {
  cholmod_sparse S{};
  S.nrow = static_cast<std::size_t>(A.rows());
  S.ncol = static_cast<std::size_t>(A.cols());
  S.nzmax = static_cast<std::size_t>(A.nonZeros());
  S.p = const_cast<int*>(A.outerIndexPtr());
  S.i = const_cast<int*>(A.innerIndexPtr());
  S.x = const_cast<double*>(A.valuePtr());
  S.stype = -1;
  S.itype = CHOLMOD_INT;
  S.xtype = CHOLMOD_REAL;
  S.dtype = CHOLMOD_DOUBLE;
  S.sorted = 1;
  S.packed = 1;
  return S;
}

cholmod_dense view(const double* x, Index rows, Index columns, Index stride) {
  cholmod_dense D{};
  D.nrow = static_cast<std::size_t>(rows);
  D.ncol = static_cast<std::size_t>(columns);
  D.d = static_cast<std::size_t>(stride);
  D.nzmax = D.d * D.ncol;
  D.x = const_cast<double*>(x);
  D.xtype = CHOLMOD_REAL;
  D.dtype = CHOLMOD_DOUBLE;
  return D;
}

/// The graph of nodes, lower triangle, if n = 3 · nodes and no block of the pattern is much more than it needs:
/// an order of the nodes is found three times faster than one of the unknowns and is as good.
bool node_graph(const SparseMatrix& A, std::vector<int>& start, std::vector<int>& rows) {
  if (A.cols() % 3 != 0) return false;
  const int nodes = static_cast<int>(A.cols() / 3);
  std::vector<int> seen(nodes, -1);
  start.assign(1, 0);
  for (int b = 0; b < nodes; ++b) {
    const int* from = A.innerIndexPtr() + A.outerIndexPtr()[3 * b];
    const int* to = A.innerIndexPtr() + A.outerIndexPtr()[3 * b + 3];
    for (const int* row = from; row < to; ++row) {
      const int a = *row / 3;
      if (a < b || seen[a] == b) continue;
      seen[a] = b;
      rows.push_back(a);
    }
    start.push_back(static_cast<int>(rows.size()));
  }
  return 4.5 * static_cast<double>(rows.size()) <= static_cast<double>(A.nonZeros());
}

/// Nested dissection of a symmetric pattern. METIS is not called through CHOLMOD, whose METIS_NodeND takes SIGTERM and
/// SIGABRT for itself while it works: a signal that another thread gets then, to end the program cleanly, would crash
/// it. METIS_NodeNDP for one process is the same algorithm and leaves signals alone. Empty: there is nothing to order.
std::vector<int> nested_dissection(cholmod_sparse& pattern, cholmod_common& common) {
  static_assert(std::is_same_v<idx_t, int>);
  cholmod_sparse* graph = cholmod_copy(&pattern, 0, -1, &common);  // both triangles, no diagonal
  if (graph == nullptr) throw OutOfMemory("the order of a factor");
  const int n = static_cast<int>(graph->ncol);
  std::vector<int> order(graph->ncol), inverse(graph->ncol);
  int sizes[2];
  auto* start = static_cast<int*>(graph->p);
  const bool done = start[n] > 0 && METIS_NodeNDP(n, start, static_cast<int*>(graph->i), nullptr, 1, nullptr,
                                                  order.data(), inverse.data(), sizes) == METIS_OK;
  cholmod_free_sparse(&graph, &common);
  if (!done) order.clear();
  return order;
}

/// What solves with a shared factor need for themselves.
class SolveWork {
 public:
  SolveWork() {
    cholmod_start(&common_);
    common_.print = 0;
    common_.try_catch = 1;
  }
  ~SolveWork() {
    cholmod_free_dense(&y_, &common_);
    cholmod_free_dense(&e_, &common_);
    cholmod_free_dense(&result_, &common_);
    cholmod_finish(&common_);
  }
  SolveWork(const SolveWork&) = delete;
  SolveWork& operator=(const SolveWork&) = delete;

  void solve(cholmod_factor* factor, const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) {
    const SerialOpenMp serial;
    cholmod_dense right = view(B.data(), B.rows(), B.cols(), B.outerStride());
    if (cholmod_solve2(CHOLMOD_A, factor, &right, nullptr, &result_, nullptr, &y_, &e_, &common_) == 0)
      throw OutOfMemory("a solve with a factor");
    X = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>(static_cast<const double*>(result_->x), B.rows(), B.cols(),
                                                          Eigen::OuterStride<>(static_cast<Index>(result_->d)));
  }

 private:
  cholmod_common common_{};
  cholmod_dense *result_ = nullptr, *y_ = nullptr, *e_ = nullptr;
};

class CholmodFactor final : public Factor {
 public:
  CholmodFactor() {
    pin_blas_threads();
    cholmod_start(&common_);
    common_.print = 0;
    common_.try_catch = 1;
    common_.final_ll = 1;  // so that a negative pivot is noticed in the simplicial case too
  }
  ~CholmodFactor() override {
    forget();
    cholmod_finish(&common_);
  }
  CholmodFactor(const CholmodFactor&) = delete;
  CholmodFactor& operator=(const CholmodFactor&) = delete;

  void analyze(const SparseMatrix& A) override {
    // METIS draws from a random generator that all threads share.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    forget();
    cholmod_sparse S = view(A);
    std::vector<int> order = order_by_nodes(A);
    if (!order.empty()) {
      common_.nmethods = 1;
      common_.method[0].ordering = CHOLMOD_GIVEN;
      factor_ = cholmod_analyze_p(&S, order.data(), nullptr, 0, &common_);
    } else {
      factor_ = analyze_with_two_orderings(S);
    }
    if (factor_ == nullptr && common_.status == CHOLMOD_OUT_OF_MEMORY) throw OutOfMemory("the analysis of a factor");
    if (factor_ == nullptr) throw StepFailure("CHOLMOD could not analyse the matrix: it is too large");
    cost_ = {common_.fl, common_.lnz};
  }

  FactorCost cost() const override { return cost_; }

  SolveReport::Status factorize(const SparseMatrix& A) override {
    const SerialOpenMp serial;
    cholmod_sparse S = view(A);
    cholmod_factorize(&S, factor_, &common_);
    if (common_.status == CHOLMOD_OUT_OF_MEMORY)
      throw OutOfMemory(fmt::format("a factor of {} unknowns", A.cols()), sizeof(double) * cost_.entries);
    if (common_.status < CHOLMOD_OK) throw StepFailure("CHOLMOD could not factorise the matrix: it is too large");
    const bool definite = common_.status == CHOLMOD_OK && factor_->minor == factor_->n;
    return definite ? SolveReport::Status::ok : SolveReport::Status::indefinite;
  }

  /// Wide blocks in pieces, each with a workspace of its own. The pieces depend on the width only.
  void solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override {
    if (B.cols() == 0) return;
    const SerialOpenMp serial;
    constexpr Index widest = 16;
    const Index columns = B.cols(), pieces = columns < 4 ? 1 : 2 * ((columns + 2 * widest - 1) / (2 * widest));
    while (static_cast<Index>(work_.size()) < pieces) work_.push_back(std::make_unique<SolveWork>());
    parallel_for(pieces, [&](Index p) {
      const Index begin = p * columns / pieces, end = (p + 1) * columns / pieces;
      work_[static_cast<std::size_t>(p)]->solve(factor_, B.middleCols(begin, end - begin),
                                                X.middleCols(begin, end - begin));
    });
  }

 private:
  /// The better by flops of minimum degree and nested dissection.
  cholmod_factor* analyze_with_two_orderings(cholmod_sparse& S) {
    std::vector<int> dissection = nested_dissection(S, common_);
    common_.nmethods = dissection.empty() ? 1 : 2;
    common_.method[0].ordering = CHOLMOD_AMD;
    common_.method[1].ordering = CHOLMOD_GIVEN;
    return cholmod_analyze_p(&S, dissection.data(), nullptr, 0, &common_);
  }

  std::vector<int> order_by_nodes(const SparseMatrix& A) {
    std::vector<int> start, rows, order;
    if (!node_graph(A, start, rows)) return order;
    cholmod_sparse G{};
    G.nrow = G.ncol = start.size() - 1;
    G.nzmax = rows.size();
    G.p = start.data();
    G.i = rows.data();
    G.stype = -1;
    G.itype = CHOLMOD_INT;
    G.xtype = CHOLMOD_PATTERN;
    G.dtype = CHOLMOD_DOUBLE;
    G.packed = 1;
    common_.supernodal = CHOLMOD_SIMPLICIAL;
    cholmod_factor* L = analyze_with_two_orderings(G);
    common_.supernodal = CHOLMOD_AUTO;
    if (L == nullptr) return order;
    const int* nodes = static_cast<const int*>(L->Perm);
    for (std::size_t i = 0; i < G.ncol; ++i)
      for (int c = 0; c < 3; ++c) order.push_back(3 * nodes[i] + c);
    cholmod_free_factor(&L, &common_);
    return order;
  }

  void forget() {
    if (factor_ != nullptr) cholmod_free_factor(&factor_, &common_);
  }

  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  std::vector<std::unique_ptr<SolveWork>> work_;
  FactorCost cost_;
};

}  // namespace

std::unique_ptr<Factor> make_cholmod_factor() { return std::make_unique<CholmodFactor>(); }

}  // namespace limber

#else

namespace limber {
std::unique_ptr<Factor> make_cholmod_factor() { return nullptr; }
}  // namespace limber

#endif
