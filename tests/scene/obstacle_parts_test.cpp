#include "limber/scene/construction/obstacle_parts.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "record/scratch.hpp"
#include "scene/samples.hpp"

namespace limber {
namespace {

using test::Scratch;

const std::string tet = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", closed = tet + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
                  open = tet + "f 1 3 2\nf 1 2 4\nf 2 3 4\n";

class Files {
 public:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_.file(name)) << text;
    return scratch_.file(name);
  }
  std::string path(const std::string& name) const { return scratch_.file(name); }
  /// A mesh obstacle of this file's text.
  ObstacleChoice mesh(const std::string& text, ObstacleChoice::Form form = ObstacleChoice::Form::automatic) const {
    ObstacleChoice o;
    o.shape = ObstacleChoice::Shape::mesh;
    o.where = "obstacles[0]";
    o.form = form;
    o.file = write("a.obj", text);
    return o;
  }
  ObstacleChoice sequence(const std::vector<std::string>& texts) const {
    ObstacleChoice o = mesh("");
    o.sequence = MeshSequence{"obstacles[0].sequence", "", {}, {}, 10, 0, Interpolation::linear};
    for (const auto& text : texts)
      o.sequence->files.push_back(write("s" + std::to_string(o.sequence->files.size()) + ".obj", text));
    return o;
  }

 private:
  Scratch scratch_;
};

TEST(ObstacleSurface, ClosedOnesActByTheirDistance) {
  const Files files;
  const ObstacleSurface s = obstacle_surface(files.mesh(closed));
  EXPECT_EQ(s.form, ObstacleChoice::Form::distance);
  EXPECT_TRUE(s.notes.empty());
  EXPECT_EQ(obstacle_surface(files.mesh(closed, ObstacleChoice::Form::triangles)).form,
            ObstacleChoice::Form::triangles);
  // A seam of vertices at one place leaves it closed.
  EXPECT_EQ(obstacle_surface(files.mesh(tet + "v 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 5\nf 3 1 4\n")).form,
            ObstacleChoice::Form::distance);
}

TEST(ObstacleSurface, OpenOnesActByTheirTriangles) {
  const Files files;
  const ObstacleSurface s = obstacle_surface(files.mesh(open));
  EXPECT_EQ(s.form, ObstacleChoice::Form::triangles);
  ASSERT_EQ(s.notes.size(), 1u);
  EXPECT_NE(s.notes[0].find("is open, with 3 open edges"), std::string::npos) << s.notes[0];
  EXPECT_TRUE(obstacle_surface(files.mesh(open, ObstacleChoice::Form::triangles)).notes.empty());
  EXPECT_EQ(
      error_of([&] { obstacle_surface(files.mesh(open, ObstacleChoice::Form::distance)); }),
      "obstacles[0].form: \"distance\" needs a closed surface: " + files.path("a.obj") +
          " is open, with 3 open edges, so it has no inside; use \"triangles\", which act on both sides, or close "
          "the surface");
}

TEST(ObstacleSurface, LinesAndPoints) {
  const Files files;
  ObstacleChoice o = files.mesh(tet + "l 1 2\np 3\n");
  o.position = {1, 0, 0};
  o.scale = 2;
  const ObstacleSurface s = obstacle_surface(o);
  EXPECT_EQ(s.form, ObstacleChoice::Form::triangles);
  EXPECT_EQ(s.edges, (std::vector<std::array<int, 2>>{{0, 1}}));
  EXPECT_EQ(s.points, std::vector<int>{2});
  EXPECT_EQ(s.mesh.nodes, (std::vector<Vec3>{{1, 0, 0}, {3, 0, 0}, {1, 2, 0}}));
  EXPECT_TRUE(s.notes.empty());
  EXPECT_EQ(obstacle_surface(files.mesh(tet)).points.size(), 4u);
  EXPECT_EQ(obstacle_surface(files.mesh(closed + "v 5 5 5\np 5\n")).form, ObstacleChoice::Form::triangles)
      << "a distance has no points";
  EXPECT_EQ(error_of([&] { obstacle_surface(files.mesh(tet, ObstacleChoice::Form::distance)); }),
            "obstacles[0].form: \"distance\" needs a closed surface: " + files.path("a.obj") +
                " has no triangles; use \"triangles\"");
}

TEST(ObstacleSurface, WithoutAnyPrimitive) {
  const Files files;
  for (const char* text : {"", "# nothing\n", "o thing\n"})
    EXPECT_EQ(error_of([&] { obstacle_surface(files.mesh(text)); }),
              "obstacles[0].file: " + files.path("a.obj") +
                  " holds no triangle, no line and no point: there is nothing to collide with");
  EXPECT_EQ(error_of([&] { obstacle_surface(files.mesh("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n")); }),
            "obstacles[0].file: all 1 triangles of " + files.path("a.obj") + " have no area");
}

TEST(ObstacleSurface, ThicknessOfADistance) {
  const Files files;
  ObstacleChoice o = files.mesh(closed);
  o.thickness = .1;
  EXPECT_EQ(
      error_of([&] { obstacle_surface(o); }),
      "obstacles[0].thickness: a surface that acts by its distance has none; use \"form\": \"triangles\", or leave "
      "it out");
  o.form = ObstacleChoice::Form::triangles;
  EXPECT_NO_THROW(obstacle_surface(o));
}

TEST(ObstacleSurface, Sequences) {
  const Files files;
  const std::string later = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  ObstacleChoice o = files.sequence({closed, later, closed});
  o.scale = 2;
  const ObstacleSurface s = obstacle_surface(o);
  EXPECT_EQ(s.form, ObstacleChoice::Form::triangles);
  EXPECT_TRUE(s.notes.empty());
  ASSERT_TRUE(s.sequence);
  EXPECT_EQ(s.sequence->keys(), 3u);
  EXPECT_EQ(s.sequence->at(3, 0), Vec3(0, 0, 2));
  EXPECT_LT((s.sequence->at(3, .05) - Vec3(0, 0, 4)).norm(), 1e-14);
  EXPECT_LT((s.sequence->rate(3, .05) - Vec3(0, 0, 40)).norm(), 1e-12);
  EXPECT_EQ(s.sequence->at(3, 7), Vec3(0, 0, 2));
  o.form = ObstacleChoice::Form::distance;
  EXPECT_EQ(error_of([&] { obstacle_surface(o); }),
            "obstacles[0].form: \"distance\" needs a closed surface: the surface changes its shape, and a grid of "
            "distances does not; use \"triangles\"");
}

TEST(ObstacleSurface, SequencesOfDifferentMeshes) {
  const Files files;
  EXPECT_EQ(error_of([&] {
              obstacle_surface(files.sequence({closed, closed, open}));
            }),
            "obstacles[0].sequence.files: " + files.path("s2.obj") + " is another mesh than " + files.path("s0.obj") +
                ": it has 3 faces, not 4; all must have the same faces");
  EXPECT_EQ(error_of([&] {
              obstacle_surface(files.sequence({closed, tet + "f 1 3 2\nf 1 2 4\nf 2 4 3\nf 3 1 4\n"}));
            }),
            "obstacles[0].sequence.files: " + files.path("s1.obj") + " is another mesh than " + files.path("s0.obj") +
                ": its face 3 has the vertices 2 4 3, not 2 3 4; all must have the same faces");
}

TEST(ObstacleSurface, FilesThatFitAPattern) {
  const Files files;
  for (const char* name : {"w_10.obj", "w_9.obj", "w_010.obj", "w_2.obj", "x_1.obj", "w_2.obj~", "w_a.obj"})
    files.write(name, closed);
  const auto names = [&](const std::string& pattern) {
    std::vector<std::string> all;
    for (const auto& file : FileAccess().matching(files.path(pattern), "files"))
      all.push_back(std::filesystem::path(file).filename().string());
    return all;
  };
  EXPECT_EQ(names("w_*.obj"), (std::vector<std::string>{"w_2.obj", "w_9.obj", "w_10.obj", "w_010.obj", "w_a.obj"}));
  EXPECT_EQ(names("?_?.obj"), (std::vector<std::string>{"w_2.obj", "w_9.obj", "w_a.obj", "x_1.obj"}));
  EXPECT_TRUE(names("y*").empty());
  EXPECT_TRUE(FileAccess().matching(files.path("no folder/*.obj"), "files").empty());

  ObstacleChoice o = files.sequence({});
  o.sequence->pattern = files.path("w_*.obj");
  EXPECT_EQ(obstacle_surface(o).sequence->keys(), 5u);
  o.sequence->times = {0, 1};
  EXPECT_EQ(error_of([&] { obstacle_surface(o); }),
            "obstacles[0].sequence.times: has 2 times for the 5 files of " + files.path("w_*.obj"));
  o.sequence->pattern = files.path("x*.obj");
  EXPECT_EQ(error_of([&] { obstacle_surface(o); }), "obstacles[0].sequence.files: " + files.path("x*.obj") +
                                                        " fits one file only, " + files.path("x_1.obj") +
                                                        "; a sequence has two files or more");
  o.sequence->pattern = files.path("z*.obj");
  EXPECT_EQ(error_of([&] { obstacle_surface(o); }),
            "obstacles[0].sequence.files: " + files.path("z*.obj") + " fits no file; a sequence has two files or more");
}

}  // namespace
}  // namespace limber
