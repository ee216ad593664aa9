/// Made-up trajectories in which it is known what is wrong.

#include "limber/verify/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/mesh/element_mesh.hpp"
#include "limber/mesh/tet_mesh.hpp"
#include "record/scratch.hpp"

namespace limber {
namespace {

using test::Scratch;

/// Boxes and other meshes as bodies of a run whose frames are given node by node.
class MadeUpRun {
 public:
  void add(const std::string& name, const TetMesh& mesh, const std::string& material = "stable_neo_hookean") {
    BodyRange range{name,
                    static_cast<int>(header_.nodes.size()),
                    static_cast<int>(mesh.nodes.size()),
                    static_cast<int>(header_.tets.size()),
                    static_cast<int>(mesh.tets.size()),
                    static_cast<int>(header_.edges.size()),
                    0};
    header_.nodes.insert(header_.nodes.end(), mesh.nodes.begin(), mesh.nodes.end());
    for (auto t : mesh.tets) {
      for (int& n : t) n += range.first_node;
      header_.tets.push_back(t);
    }
    header_.region.resize(header_.tets.size(), 0);
    header_.bodies.push_back(range);
    scene_ += (scene_.empty() ? "" : ", ") + std::string(R"({"material": {"model": ")") + material + "\"}}";
  }
  void add_springs(const std::string& name, const std::vector<Vec3>& nodes) {
    BodyRange range{name,
                    static_cast<int>(header_.nodes.size()),
                    static_cast<int>(nodes.size()),
                    static_cast<int>(header_.tets.size()),
                    0,
                    static_cast<int>(header_.edges.size()),
                    static_cast<int>(nodes.size()) - 1};
    header_.nodes.insert(header_.nodes.end(), nodes.begin(), nodes.end());
    for (int i = 0; i < range.edge_count; ++i)
      header_.edges.push_back({range.first_node + i, range.first_node + i + 1});
    header_.bodies.push_back(range);
    scene_ += (scene_.empty() ? "" : ", ") + std::string(R"({"springs": {}})");
  }
  /// The rest positions, to be changed.
  Vector rest() const {
    Vector q(static_cast<Index>(3 * header_.nodes.size()));
    for (std::size_t i = 0; i < header_.nodes.size(); ++i) q.segment<3>(static_cast<Index>(3 * i)) = header_.nodes[i];
    return q;
  }
  void move(Vector& q, int body, const Vec3& by) const {
    const BodyRange& b = header_.bodies[static_cast<std::size_t>(body)];
    for (int n = b.first_node; n < b.first_node + b.node_count; ++n) q.segment<3>(3 * n) += by;
  }
  void set_scene(const std::string& bodies) { scene_ = bodies; }
  TrajectoryHeader& header() { return header_; }

  std::string write(const Scratch& scratch, const std::vector<Vector>& frames) {
    header_.frames = static_cast<long>(frames.size());
    auto writer = TrajectoryWriter::create(scratch.file("trajectory.h5"), header_);
    for (std::size_t k = 0; k < frames.size(); ++k)
      writer.write_frame(static_cast<long>(k), .5 * static_cast<double>(k), frames[k], Vector(), 1, Vector());
    std::ofstream(scratch.file("scene.json")) << "{\"bodies\": [" << scene_ << "]}";
    return scratch.path();
  }
  Verification verify(const std::vector<Vector>& frames, const Surroundings& around = {}) {
    const Scratch scratch;
    return verify_trajectory(write(scratch, frames), around);
  }

 private:
  TrajectoryHeader header_;
  std::string scene_;
};

TetMesh cube(const Vec3& origin, double size = 1, int cells = 2) {
  return box_mesh(origin, Vec3::Constant(size), {cells, cells, cells}, Split::five);
}

TetMesh one_tet(const Vec3& origin = Vec3::Zero()) {
  TetMesh mesh;
  mesh.nodes = {origin, origin + Vec3(1, 0, 0), origin + Vec3(0, 1, 0), origin + Vec3(0, 0, 1)};
  mesh.tets = {{0, 1, 2, 3}};
  return mesh;
}

void append(TetMesh& mesh, const TetMesh& other) {
  const int first = static_cast<int>(mesh.nodes.size());
  mesh.nodes.insert(mesh.nodes.end(), other.nodes.begin(), other.nodes.end());
  for (auto t : other.tets) {
    for (int& n : t) n += first;
    mesh.tets.push_back(t);
  }
}

TEST(Verify, CleanRun) {
  MadeUpRun run;
  run.add("a", cube({0, 0, 0}));
  run.add("b", cube({1.5, 0, 0}));
  Vector q = run.rest();
  run.move(q, 1, {-.25, .1, 0});
  const Verification v = run.verify({run.rest(), q});
  EXPECT_EQ(v.count(), 0);
  EXPECT_EQ(v.frames, 2);
  EXPECT_EQ(v.triangles, 2u * 6 * 4 * 2);
  EXPECT_TRUE(v.findings.empty() && v.materials_known);
}

TEST(Verify, TouchAtASinglePointAndMissByOneRounding) {
  MadeUpRun run;
  run.add("low", cube({0, 0, 0}));
  run.add("spike", one_tet({.3, 3, .2}), "neo_hookean");
  Vector touch = run.rest(), above;
  touch.segment<3>(3 * 27) = Vec3(.3, 1, .2);  // the spike's first node, on the top of the cube
  above = touch;
  above[3 * 27 + 1] = std::nextafter(1., 2.);
  EXPECT_EQ(run.verify({run.rest(), above}).count(), 0);
  const Verification v = run.verify({run.rest(), touch, run.rest()});
  EXPECT_GT(v.crossings, 0);
  EXPECT_EQ(v.count(), v.crossings);
  for (const Finding& f : v.findings) {
    EXPECT_EQ(f.frame, 1);
    EXPECT_EQ(f.time, .5);
    EXPECT_EQ(f.flaw, Flaw::crossing);
    EXPECT_EQ(f.bodies, (std::vector<std::string>{"low", "spike"}));
    ASSERT_EQ(f.cells.size(), 2u);
    EXPECT_TRUE(std::count(f.cells[1].begin(), f.cells[1].end(), 27)) << f.what;
    EXPECT_NE(f.what.find("'low' meets triangle"), std::string::npos) << f.what;
    EXPECT_NEAR(f.position[1], 1, .5);
  }
}

TEST(Verify, BodiesThatPassThroughEachOther) {
  MadeUpRun run;
  run.add("a", cube({0, 0, 0}));
  run.add("b", cube({.3, 3.05, .017}, .9));
  std::vector<Vector> frames;
  for (int k = 0; k < 7; ++k) {
    frames.push_back(run.rest());
    run.move(frames.back(), 1, {0, -1. * k, 0});
  }
  const Verification v = run.verify(frames);
  EXPECT_GT(v.crossings, 0);
  for (const Finding& f : v.findings) EXPECT_EQ(f.frame, 3) << f.what;  // from height .05 to .95
}

/// Four nodes around a common one; pushing one through the opposite faces folds neighbours over.
TEST(Verify, NeighboursThatFoldOver) {
  MadeUpRun run;
  run.add("a", cube({0, 0, 0}));
  const Vector rest = run.rest();
  Vector q = rest;
  const int corner = 0, next = 1;  // (0, 0, 0) and (.5, 0, 0)
  q.segment<3>(3 * corner) = rest.segment<3>(3 * next) + Vec3(.2, -.05, -.05);
  const Verification v = run.verify({q});
  EXPECT_GT(v.crossings, 0);
  EXPECT_GT(v.tolerated_inversions, 0);
  EXPECT_EQ(v.findings[0].bodies, std::vector<std::string>{"a"});
  EXPECT_NE(v.findings[0].what.find("the same body"), std::string::npos);
}

TEST(Verify, OneBodyThatMeetsItself) {
  MadeUpRun run;
  TetMesh mesh = cube({0, 0, 0});
  append(mesh, cube({2, 0, 0}));
  run.add("two parts", mesh);
  Vector q = run.rest();
  for (int n = 27; n < 54; ++n) q[3 * n] -= 1.4;
  EXPECT_EQ(run.verify({run.rest()}).count(), 0);
  EXPECT_GT(run.verify({q}).crossings, 0);
}

TEST(Verify, ABodyWithinABody) {
  MadeUpRun run;
  run.add("shell", cube({0, 0, 0}, 1, 3));
  run.add("kernel", cube({5, 5, 5}, .1, 1));
  Vector q = run.rest();
  run.move(q, 1, {-4.55, -4.55, -4.55});
  const Verification v = run.verify({run.rest(), q});
  EXPECT_EQ(v.enclosed, 1);
  EXPECT_EQ(v.count(), 1);
  ASSERT_EQ(v.findings.size(), 1u);
  EXPECT_EQ(v.findings[0].flaw, Flaw::enclosed);
  EXPECT_EQ(v.findings[0].frame, 1);
  EXPECT_EQ(v.findings[0].bodies, (std::vector<std::string>{"kernel", "shell"}));
}

/// What lies in a hollow is not inside the body, nor is the wall of the hollow.
TEST(Verify, AHollowMayHoldSomething) {
  const TetMesh whole = cube({0, 0, 0}, 3, 3);
  TetMesh hollow = whole;
  hollow.tets.clear();
  for (const auto& t : whole.tets) {
    Vec3 centre = Vec3::Zero();
    for (const int n : t) centre += whole.nodes[static_cast<std::size_t>(n)] / 4;
    if ((centre.array() < 1).any() || (centre.array() > 2).any()) hollow.tets.push_back(t);
  }
  MadeUpRun run;
  run.add("hollow", hollow);
  run.add("guest", cube({1.25, 1.25, 1.25}, .5, 1));
  EXPECT_EQ(run.verify({run.rest()}).count(), 0);
  Vector q = run.rest();
  run.move(q, 1, {.4, 0, 0});
  EXPECT_GT(run.verify({q}).crossings, 0);
  run.move(q, 1, {.7, 0, 0});  // wholly inside the wall
  EXPECT_EQ(run.verify({q}).crossings, 0);
  EXPECT_EQ(run.verify({q}).enclosed, 1);
}

TEST(Verify, PartsOfOneBodyWithinEachOther) {
  MadeUpRun run;
  TetMesh mesh = cube({0, 0, 0});
  append(mesh, cube({.3, .3, .3}, .1, 1));
  run.add("a", mesh);
  const Verification v = run.verify({run.rest()});
  EXPECT_EQ(v.enclosed, 1);
  EXPECT_EQ(v.findings[0].bodies, std::vector<std::string>{"a"});
}

TEST(Verify, SpringsAgainstSurfaces) {
  MadeUpRun run;
  run.add("a", cube({0, 0, 0}));
  run.add_springs("net", {{-1, 3, .3}, {2, 3, .3}, {2, 3, .4}});
  Vector through = run.rest(), inside = run.rest();
  run.move(through, 1, {0, -2.6, 0});
  for (int i = 0; i < 3; ++i) inside.segment<3>(3 * (27 + i)) = Vec3(.3 + .1 * i, .35, .45);
  const Verification v = run.verify({run.rest(), through, inside});
  ASSERT_GE(v.findings.size(), 3u);
  EXPECT_EQ(v.crossings, 2);  // into it and out of it
  EXPECT_EQ(v.enclosed, 1);
  EXPECT_EQ(v.findings[0].cells[1].size(), 2u);
  EXPECT_EQ(v.findings[2].frame, 2);
}

TEST(Verify, RodsThatAreCloserThanTheyAreThick) {
  MadeUpRun run;
  run.add_springs("low", {{-1, 0, 0}, {1, 0, 0}});
  run.add_springs("high", {{0, 1, -1}, {0, 1, 1}});
  const auto at = [&](double height) {
    Vector q = run.rest();
    q[7] = q[10] = height;
    return q;
  };
  const auto with = [](Collide collide) { return Surroundings{{}, {.1, .2}, collide}; };
  EXPECT_EQ(run.verify({at(.3)}, with(Collide::with_others)).count(), 0) << "they touch: less than rounding";
  EXPECT_EQ(run.verify({at(.2999)}).count(), 0) << "thicknesses are not known";
  EXPECT_EQ(run.verify({at(.2999)}, with(Collide::no)).count(), 0) << "nothing collides";
  const Verification v = run.verify({at(.5), at(.25)}, with(Collide::with_others));
  ASSERT_EQ(v.crossings, 1);
  EXPECT_EQ(v.findings[0].frame, 1);
  EXPECT_EQ(v.findings[0].cells, (std::vector<std::vector<int>>{{0, 1}, {2, 3}}));
  EXPECT_EQ(v.findings[0].what,
            "edge (0, 1) of 'low' is 0.05 m closer to edge (2, 3) of 'high' than their thickness allows");
  // Where they meet, no thickness is needed, and no rounding spoils it.
  EXPECT_EQ(run.verify({at(0)}).crossings, 1);
  EXPECT_EQ(run.verify({at(5e-324)}).crossings, 0);
}

TEST(Verify, ARodAgainstItself) {
  MadeUpRun run;
  run.add_springs("hairpin", {{0, 0, 0}, {1, 0, 0}, {1, .1, 0}, {0, .1, 0}});
  const auto with = [](Collide collide) { return Surroundings{{}, {.06}, collide}; };
  EXPECT_EQ(run.verify({run.rest()}, with(Collide::with_others)).count(), 0);
  const Verification v = run.verify({run.rest()}, with(Collide::with_themselves_too));
  ASSERT_EQ(v.crossings, 1) << "neighbours share a node";
  EXPECT_EQ(v.findings[0].cells, (std::vector<std::vector<int>>{{0, 1}, {2, 3}}));
  EXPECT_NE(v.findings[0].what.find("of the same body"), std::string::npos) << v.findings[0].what;
  EXPECT_EQ(run.verify({run.rest()}, {{}, {.05}, Collide::with_themselves_too}).count(), 0);
}

TEST(Verify, RodsAndPointsAgainstASolid) {
  MadeUpRun run;
  run.add("cube", cube({0, 0, 0}));
  run.add_springs("rod", {{-1, 1.1, .5}, {2, 1.1, .5}});
  run.add_springs("bead", {{.3, 1.4, .3}});
  EXPECT_EQ(run.verify({run.rest()}, {{}, {0, .09, .3}, Collide::with_others}).count(), 1) << "the rod and the bead";
  const Verification v = run.verify({run.rest()}, {{}, {0, .11, 0}, Collide::with_others});
  EXPECT_GT(v.crossings, 0);
  for (const Finding& f : v.findings) EXPECT_EQ(f.bodies, (std::vector<std::string>{"cube", "rod"}));
}

TEST(Verify, InvertedTetrahedra) {
  for (const char* material : {"neo_hookean", "mooney_rivlin", "stable_neo_hookean", "corotated"}) {
    const bool forbidden = material[0] == 'n' || material[0] == 'm';
    MadeUpRun run;
    run.add("other", one_tet({9, 9, 9}), "neo_hookean");
    run.add("tet", one_tet(), material);
    Vector flat = run.rest(), turned = run.rest();
    flat.segment<3>(3 * 7) = Vec3(.2, .3, 0);
    turned.segment<3>(3 * 7) = Vec3(0, 0, -1);
    const Verification v = run.verify({run.rest(), flat, turned});
    EXPECT_EQ(v.inverted, forbidden ? 2 : 0) << material;
    EXPECT_EQ(v.tolerated_inversions, forbidden ? 0 : 2) << material;
    if (!forbidden) continue;
    const Finding& last = v.findings.back();
    EXPECT_EQ(last.flaw, Flaw::inverted);
    EXPECT_EQ(last.frame, 2);
    EXPECT_EQ(last.what, "tetrahedron 1 of 'tet' is inverted");
  }
}

/// The middle of the edge 01 of the reference element is moved along it by s: det F = 1 + 4s (b₀ − b₁), at the points
/// of integration b₀ − b₁ = 0 or ±(β − α) with α = (5 − √5)/20, β = 1 − 3α. A piece is turned over beyond s = ½.
TEST(Verify, QuadraticTetrahedraAreInvertedWhereTheyAreIntegrated) {
  const double alpha = (5 - std::sqrt(5.)) / 20, limit = 1 / (4 * (1 - 4 * alpha));
  ASSERT_GT(limit, .55);
  MadeUpRun run;
  run.add("other", one_tet({9, 9, 9}), "neo_hookean");
  run.add("tet", subdivide(quadratic_elements(one_tet())), "neo_hookean");
  run.header().bodies[1].pieces = 8;
  // Edges are numbered by their corners: that of 0 and 1 is the first.
  const auto moved = [&](double s) {
    Vector q = run.rest();
    q[3 * 8] += s;
    return q;
  };
  EXPECT_EQ(run.verify({run.rest(), moved(.52), moved(-.52), moved(limit - 1e-6)}).inverted, 0);
  const Verification v = run.verify({moved(limit + 1e-6), moved(-limit - 1e-6)});
  EXPECT_EQ(v.inverted, 2);
  const auto found =
      std::find_if(v.findings.begin(), v.findings.end(), [](const Finding& f) { return f.flaw == Flaw::inverted; });
  ASSERT_NE(found, v.findings.end());
  EXPECT_EQ(found->what,
            "quadratic tetrahedron (4, 5, 6, 7, 8, 11, 9, 10, 12, 13) of 'tet' is inverted at a point of integration");
  run.header().bodies[1].pieces = 1;
  EXPECT_GT(run.verify({moved(.52)}).inverted, 0) << "as linear tetrahedra its pieces count";
}

TEST(Verify, HexahedraArePutTogetherAgainWhateverTheirNumbers) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    ElementMesh box = box_hexahedra(Vec3::Zero(), Vec3(2, 1, 1), {2, 2, 1});
    std::vector<int> number(box.nodes.size());
    for (std::size_t i = 0; i < number.size(); ++i) number[i] = static_cast<int>(i);
    for (std::size_t i = number.size(); i > 1; --i) std::swap(number[i - 1], number[random() % i]);
    ElementMesh mesh = box;
    for (std::size_t i = 0; i < number.size(); ++i) mesh.nodes[static_cast<std::size_t>(number[i])] = box.nodes[i];
    for (int& c : mesh.corners) c = number[static_cast<std::size_t>(c)];
    MadeUpRun run;
    run.add("box", subdivide(mesh), "neo_hookean");
    run.header().bodies[0].pieces = 6;
    Vector mirrored = run.rest();
    for (Index i = 1; i < mirrored.size(); i += 3) mirrored[i] *= -1;
    EXPECT_EQ(run.verify({run.rest()}).inverted, 0);
    EXPECT_EQ(run.verify({mirrored}).inverted, 4);
    run.header().bodies[0].pieces = 8;
    EXPECT_THROW(run.verify({run.rest()}), InputError);
  }
}

TEST(Verify, MaterialsOfRegions) {
  MadeUpRun run;
  TetMesh mesh = one_tet();
  append(mesh, one_tet({3, 0, 0}));
  run.add("a", mesh);
  run.header().region = {1, 2};
  Vector q = run.rest();
  q.segment<3>(3 * 3) = Vec3(0, 0, -1);
  q.segment<3>(3 * 7) = Vec3(3, 0, -1);
  run.set_scene(R"({"materials": {"1": {"model": "neo_hookean"}, "default": {"model": "linear"}}})");
  EXPECT_EQ(run.verify({q}).inverted, 1);
  run.set_scene(R"({"materials": {"skin": {"model": "neo_hookean"}, "2": {"model": "mooney_rivlin"}}})");
  EXPECT_EQ(run.verify({q}).inverted, 2);
  run.set_scene(R"({"materials": {"skin": {"model": "neo_hookean"}, "default": {"model": "linear"}}})");
  EXPECT_EQ(run.verify({q}).tolerated_inversions, 2);
}

TEST(Verify, NumbersThatAreNotFinite) {
  MadeUpRun run;
  run.add("a", cube({0, 0, 0}));
  Vector q = run.rest();
  q[3 * 5 + 1] = std::numeric_limits<double>::quiet_NaN();
  const Verification v = run.verify({run.rest(), q});
  EXPECT_EQ(v.bad_frames, 1);
  EXPECT_EQ(v.count(), 1);
  EXPECT_EQ(v.findings[0].what, "the position of node (5) is not finite");
}

TEST(Verify, SameFindingsForAnyNumberOfThreads) {
  MadeUpRun run;
  run.add("a", cube({0, 0, 0}, 1, 5));
  run.add("b", cube({.31, .32, .33}, 1, 5));
  const Scratch scratch;
  const std::string directory = run.write(scratch, {run.rest()});
  set_threads(1);
  const Verification one = verify_trajectory(directory);
  set_threads(2);
  const Verification two = verify_trajectory(directory);
  set_threads(0);
  ASSERT_EQ(one.findings.size(), two.findings.size());
  EXPECT_GT(one.crossings, 50);
  for (std::size_t i = 0; i < one.findings.size(); ++i) EXPECT_EQ(one.findings[i].what, two.findings[i].what);
}

TEST(Verify, ProgressCountsTheFrames) {
  MadeUpRun run;
  run.add("a", cube({0, 0, 0}));
  const Scratch scratch;
  const std::string directory = run.write(scratch, {run.rest(), run.rest(), run.rest()});
  std::vector<long> seen;
  verify_trajectory(directory, {}, [&](long done, long all) {
    EXPECT_EQ(all, 3);
    seen.push_back(done);
  });
  EXPECT_EQ(seen, (std::vector<long>{1, 2, 3}));
}

TEST(Verify, BadInput) {
  const Scratch empty;
  EXPECT_THROW(verify_trajectory(empty.path()), InputError);

  MadeUpRun run;
  run.add("a", one_tet(), "neo_hookean");
  const Scratch scratch;
  Vector q = run.rest();
  q[11] = -1;
  const std::string directory = run.write(scratch, {q});
  std::filesystem::remove(scratch.file("scene.json"));
  const Verification v = verify_trajectory(directory);
  EXPECT_FALSE(v.materials_known);
  EXPECT_EQ(v.tolerated_inversions, 1);
  for (const char* text : {"{", "[]", "{\"bodies\": []}"}) {
    std::ofstream(scratch.file("scene.json")) << text;
    EXPECT_THROW(verify_trajectory(directory), InputError) << text;
  }

  MadeUpRun wrong;
  wrong.add("a", one_tet());
  wrong.header().tets[0][2] = 4;
  EXPECT_THROW(wrong.verify({wrong.rest()}), InputError);
}

}  // namespace
}  // namespace limber
