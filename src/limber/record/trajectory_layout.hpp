#pragma once  // internal
/// The arrays of trajectory.h5 and where they lie in the file. For the sources of this room only.

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "limber/record/hdf5_handles.hpp"
#include "limber/record/trajectory.hpp"

namespace limber::layout {

inline constexpr const char* format = "limber-trajectory";
inline constexpr int format_version = 2;  // 1, where arrays of frames are in one piece, is read too

/// Names of the arrays.
inline constexpr const char* nodes = "/rest/nodes";
inline constexpr const char* tets = "/rest/tets";
inline constexpr const char* edges = "/rest/edges";
inline constexpr const char* triangles = "/rest/triangles";
inline constexpr const char* region = "/rest/region";
inline constexpr const char* prescribed = "/rest/prescribed";
inline constexpr const char* body_names = "/bodies/names";
inline constexpr const char* body_nodes = "/bodies/nodes";
inline constexpr const char* body_tets = "/bodies/tets";
inline constexpr const char* body_edges = "/bodies/edges";
inline constexpr const char* body_triangles = "/bodies/triangles";
inline constexpr const char* body_pieces = "/bodies/pieces";
inline constexpr const char* positions = "/frames/positions";
inline constexpr const char* velocities = "/frames/velocities";
inline constexpr const char* reactions = "/frames/reactions";
inline constexpr const char* times = "/frames/times";
inline constexpr const char* min_det_F = "/frames/min_det_F";
inline constexpr const char* written = "/frames_written";

/// Size of an entry of /bodies/names [bytes]: the longest name.
std::size_t name_size(const TrajectoryHeader& header);

/// Where the bytes of an array are in the file: in one piece, or in equal ones that take some rows each, or some of the
/// nodes of one row.
struct Place {
  std::vector<off_t> pieces;  // where each begins [bytes]
  std::size_t row = 0;        // of a row that is divided [bytes]; 0: none is
  std::size_t piece = 0;      // size of a piece [bytes]

  void write(File& file, std::size_t byte, const void* data, std::size_t size) const;

 private:
  struct Run {
    off_t begin;
    std::size_t size;
  };
  /// From a byte of the array to the end of its piece.
  Run run(std::size_t byte) const;
};
using Places = std::map<std::string, Place>;

/// Creates the file with all arrays in place but without their content, and closes it. Throws OutputError.
Places create(const std::string& path, const TrajectoryHeader& header);

/// The same of an existing file.
Places locate(const std::string& path);

/// How a file gets room for more frames: longer arrays in new pieces behind the old end. The file is made longer first,
/// then the writes follow in their order; after each of them it can be read.
struct Growth {
  struct Write {
    off_t place;
    std::string bytes;
  };
  off_t size = 0;  // of the file [bytes]
  std::vector<Write> writes;
  Places places;
};
/// With its present places. Throws InputError where the arrays are of format 1, which cannot grow.
Growth grow(const std::string& path, const Places& places, long frames);

/// Opens a trajectory for reading. Throws InputError(path, …).
h5::Id open(const std::string& path);

/// Opens an array of it, which must lie in the file itself, not compressed and no larger than the file, as all do that
/// are written here. Throws InputError(path, …).
h5::Id open_array(const std::string& path, hid_t file, const char* array);
std::vector<hsize_t> dimensions(hid_t dataset);

}  // namespace limber::layout
