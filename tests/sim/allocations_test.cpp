/// A step takes no memory that grows with the mesh, once the first three are done.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "limber/force/elastic.hpp"
#include "limber/force/gravity.hpp"
#include "limber/force/mass.hpp"
#include "limber/force/rayleigh.hpp"
#include "limber/linalg/solvers/factor.hpp"
#include "limber/mesh/tet_mesh.hpp"
#include "limber/sim/simulation.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LIMBER_SANITIZED
#endif
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(LIMBER_SANITIZED)
#define LIMBER_COUNTS_ALLOCATIONS
#endif

namespace limber::test::allocations {
namespace {

std::atomic<std::size_t> counted_from = 0;  // [bytes] 0: nothing is counted
std::atomic<long> count = 0;
std::atomic<std::size_t> largest = 0;
std::atomic<void*> last_caller = nullptr;

std::string library_of(void* caller) {
  Dl_info info{};
  return dladdr(caller, &info) != 0 && info.dli_fname ? info.dli_fname : "?";
}

#ifdef LIMBER_COUNTS_ALLOCATIONS
/// CHOLMOD asks for a permuted copy of the matrix and for workspace at each factorisation anew, and OpenBLAS for its
/// buffers: that cannot be changed from here.
bool of_a_factorisation(const std::string& library) {
  for (const char* name : {"libcholmod", "libsuitesparseconfig", "libopenblas"})
    if (library.find(name) != std::string::npos) return true;
  return false;
}

void note(std::size_t bytes, void* caller) {
  const std::size_t from = counted_from;
  if (from == 0 || bytes < from || of_a_factorisation(library_of(caller))) return;
  ++count;
  if (bytes > largest) largest = bytes;
  last_caller = caller;
}
#endif

}  // namespace
}  // namespace limber::test::allocations

#ifdef LIMBER_COUNTS_ALLOCATIONS
// In place of the C library's, for this program and all libraries that it loads.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) {
  limber::test::allocations::note(bytes, __builtin_return_address(0));
  return __libc_malloc(bytes);
}
void* calloc(std::size_t n, std::size_t bytes) {
  limber::test::allocations::note(n * bytes, __builtin_return_address(0));
  return __libc_calloc(n, bytes);
}
void* realloc(void* p, std::size_t bytes) {
  limber::test::allocations::note(bytes, __builtin_return_address(0));
  return __libc_realloc(p, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  limber::test::allocations::note(bytes, __builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  limber::test::allocations::note(bytes, __builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t bytes) {
  limber::test::allocations::note(bytes, __builtin_return_address(0));
  *p = __libc_memalign(alignment, bytes);
  return *p ? 0 : ENOMEM;
}
}
#endif

namespace limber::test::allocations {
namespace {

struct Body {
  std::array<int, 3> cells;
  double E;  // [Pa]
  bool damped;
};

/// A beam that is held at its left end; its right end is moved up and down.
Simulation beam(const std::string& method, const Body& body) {
  const Vec3 size(3, 1, 1);
  const TetMesh mesh = box_mesh({0, 0, 0}, size, body.cells, Split::five);
  const std::vector<int> first_material(mesh.tets.size(), 0);
  const std::vector<AnyMaterial> materials{make_material({"stable_neo_hookean", body.E, .4, {}}, "material")};
  const std::vector<double> density(mesh.tets.size(), 1000.);

  MechanicalSystem::Parts parts;
  parts.positions.resize(3 * static_cast<Index>(mesh.nodes.size()));
  Prescription left, right;
  right.motion.translation = TimeFunction<Vec3>::sine({0, .05, 0}, 2, 0, Vec3::Zero());
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    parts.positions.segment<3>(3 * static_cast<Index>(i)) = mesh.nodes[i];
    if (mesh.nodes[i].x() < 1e-9) left.nodes.push_back(static_cast<int>(i));
    if (mesh.nodes[i].x() > size.x() - 1e-9) right.nodes.push_back(static_cast<int>(i));
  }
  parts.masses = element_masses(linear_elements(mesh), 0, density, MassKind::lumped);
  Vector weights = Vector::Zero(static_cast<Index>(mesh.nodes.size()));
  add_row_sums(parts.masses, weights);
  parts.forces = {std::make_shared<ElasticForce>(mesh, 0, materials, first_material),
                  std::make_shared<Gravity>(weights, Vec3(0, -9.81, 0))};
  if (body.damped)
    parts.forces.push_back(std::make_shared<RayleighDamping>(
        std::make_unique<ElasticForce>(mesh, 0, materials, first_material), parts.masses, parts.positions,
        RayleighCoefficients{1e-4, .1}, RayleighAt::rest));
  parts.prescriptions = {left, right};
  parts.length_scale = size.x();
  const Vector q = parts.positions;
  const auto system = std::make_shared<MechanicalSystem>(std::move(parts));
  return Simulation(system, {method, {}, {}}, .01, system->state(q, Vector::Zero(q.size()), 0));
}

class Allocations : public ::testing::TestWithParam<std::string> {};

TEST_P(Allocations, NoneGrowWithTheMesh) {
#ifndef LIMBER_COUNTS_ALLOCATIONS
  GTEST_SKIP() << "a sanitizer has its own malloc, as has another C library";
#endif
  std::vector<double> stiffnesses{1e5};                              // [Pa]
  if (make_cholmod_factor() != nullptr) stiffnesses.push_back(1e8);  // Eigen's factors are new memory each time
  for (const std::array<int, 3> cells : {std::array{14, 12, 12}, std::array{40, 14, 14}})
    for (const double E : stiffnesses)
      for (const bool damped : {false, true}) {
        Simulation s = beam(GetParam(), {cells, E, damped});
        for (int k = 0; k < 3; ++k) s.step();
        const auto vector = static_cast<std::size_t>(s.state().q.size()) * sizeof(double);
        for (int k = 4; k <= 6; ++k) {
          count = 0;
          largest = 0;
          counted_from = vector / 4;
          s.step();
          counted_from = 0;
          EXPECT_EQ(count, 0) << "of at least " << vector / 4 << " bytes, the largest of " << largest << ", in step "
                              << k << ", " << s.system().nodes() << " nodes, E = " << E << (damped ? ", damped" : "")
                              << "; the last one is asked for in " << library_of(last_caller);
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Methods, Allocations, ::testing::Values("SI", "BE", "TR-BDF2"),
                         [](const auto& info) { return info.param == "TR-BDF2" ? "TrBdf2" : info.param; });

}  // namespace
}  // namespace limber::test::allocations
