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
inline constexpr int format_version = 1;

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

/// Creates the file with all arrays in place but without their content, and closes it: where each array begins [bytes].
/// Throws OutputError.
std::map<std::string, off_t> create(const std::string& path, const TrajectoryHeader& header);

/// The same of an existing file.
std::map<std::string, off_t> locate(const std::string& path);

/// Opens a trajectory for reading. Throws InputError(path, …).
h5::Id open(const std::string& path);
/// One of its arrays; not valid where it is missing. Throws InputError(path, …) where its data lie in another file,
/// which HDF5 would open without a question.
h5::Id open_array(const h5::Id& file, const char* array, const std::string& path);

}  // namespace limber::layout
