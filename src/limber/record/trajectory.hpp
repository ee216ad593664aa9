#pragma once
/// trajectory.h5: the rest shape and the frames of a run. The HDF5 structure is complete before the first frame; a
/// frame is written into its place and then counted in /frames_written. So a run killed at any moment leaves a valid
/// file whose counted frames are whole, and equal runs give equal files. A file with room for fewer frames than planned
/// grows, when it is full, to twice the room; nothing is copied. docs/output.md has the layout.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/record/files.hpp"
#include "limber/record/xdmf.hpp"

namespace limber {

enum class Velocities { omit, store };

/// Ranges [first, first + count) of a body in the stacked arrays.
struct BodyRange {
  std::string name;
  int first_node = 0, node_count = 0;
  int first_tet = 0, tet_count = 0;
  int first_edge = 0, edge_count = 0;
  int first_triangle = 0, triangle_count = 0;
  int pieces = 1;  // tetrahedra that each element was cut into: 1 (P1), 8 (P2) or 6 (hexahedra), one after the other
  bool operator==(const BodyRange&) const = default;
};

/// Some nodes and tetrahedra of a rest shape, from a first one on.
struct RestPiece {
  std::size_t first_node = 0, first_tet = 0;
  std::vector<Vec3> nodes;
  std::vector<std::array<int, 4>> tets;
  std::vector<int> region;  // of these; empty: all 0
};
/// Calls its argument for one piece after the other, until all nodes and tetrahedra are shown.
using ShowRest = std::function<void(const std::function<void(const RestPiece&)>&)>;

struct TrajectoryHeader {
  std::vector<Vec3> nodes;                    // #V, rest positions [m]
  std::vector<std::array<int, 4>> tets;       // #T
  std::vector<std::array<int, 2>> edges;      // #E, springs and rods
  std::vector<std::array<int, 3>> triangles;  // #S, sheets; the surface of tetrahedra is not among them
  std::vector<int> region;                    // #T, or empty: all 0
  std::vector<BodyRange> bodies;
  std::vector<int> prescribed;  // #P, nodes with a reaction force
  long frames = 0;              // the planned number of frames; of a file that was read: #F, those it has room for
  Velocities velocities = Velocities::omit;
  std::string limber_version;

  /// A rest shape that is too large to be held: #V and #T, and how it is shown; `nodes`, `tets` and `region` are empty.
  struct Large {
    std::size_t nodes = 0, tets = 0;
    ShowRest show = nullptr;  // none in a header that was read
  };
  std::optional<Large> large = std::nullopt;
  std::size_t node_count() const { return large ? large->nodes : nodes.size(); }
  std::size_t tet_count() const { return large ? large->tets : tets.size(); }
};

struct Frame {
  double t = 0;          // [s]
  Vector q;              // 3 #V, positions [m]
  Vector v;              // 3 #V, velocities [m/s], or empty
  double min_det_F = 0;  // smallest det F over the tetrahedra
  Vector reactions;      // 3 #P, force on each prescribed node [N]
};

class TrajectoryWriter {
 public:
  /// Replaces the file, and the .xdmf beside it. Throws OutputError.
  static TrajectoryWriter create(const std::string& path, const TrajectoryHeader& header);
  /// Goes on after the first `frames_to_keep` frames and forgets the others; more or fewer may be planned than before.
  /// Throws InputError(path, …) if the file has fewer, or does not fit the header.
  static TrajectoryWriter resume(const std::string& path, const TrajectoryHeader& header, long frames_to_keep);
  TrajectoryWriter(TrajectoryWriter&&) noexcept;
  TrajectoryWriter& operator=(TrajectoryWriter&&) noexcept;
  ~TrajectoryWriter();

  /// The next frame, k = frames(). `v` may be empty where velocities are omitted. Throws OutputError; the frames before
  /// stay readable.
  void write_frame(long k, double t, const Vector& q, const Vector& v, double min_det_F, const Vector& reactions);
  /// The like in pieces: positions, and velocities unless they are omitted, of nodes from `first` on; when all nodes
  /// have theirs, the frame is finished.
  void write_nodes(long k, std::size_t first, const Vector& q, const Vector& v);
  void finish_frame(long k, double t, double min_det_F, const Vector& reactions);
  long frames() const { return frames_; }
  void sync() { file_.sync(); }

 private:
  struct Places;  // where each array lies in the file

  TrajectoryWriter(File file, XdmfIndex index, Places places, const TrajectoryHeader& header, long room, long frames);
  /// In the same file.
  void make_room(long room);
  void write_rows(const char* array, long row, const double* data, Index count);
  void write_part(const char* array, long row, std::size_t first, const Vector& x);
  void set_frames(long frames);

  File file_;
  XdmfIndex index_;
  std::unique_ptr<Places> places_;
  TrajectoryHeader header_;  // without what may be large: the file has it
  std::size_t nodes_;
  long room_;  // frames that the file has places for
  long frames_;
};

/// Reads frames one by one, also from a run that still goes on. Throws InputError(path, …) if the file is missing,
/// damaged or no trajectory.
class TrajectoryReader {
 public:
  /// `large`: the rest shape is not read, only its size.
  enum class RestShape { read, large };
  explicit TrajectoryReader(const std::string& path, RestShape rest = RestShape::read);
  TrajectoryReader(TrajectoryReader&&) noexcept;
  TrajectoryReader& operator=(TrajectoryReader&&) noexcept;
  ~TrajectoryReader();

  /// `frames` is the number that there is room for: the planned one, or less while a long run goes on.
  const TrajectoryHeader& header() const;
  /// The number written by now.
  long frames() const;
  /// k < frames().
  Frame frame(long k) const;
  /// Times [s] of the frames written by now.
  std::vector<double> times() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber
