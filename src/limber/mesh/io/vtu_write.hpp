#pragma once
/// The pieces of text that .vtu files are written of. Numbers are in base64, in this machine's byte order.

#include <string>
#include <vector>

namespace limber {

/// For text inside attributes.
std::string xml_escaped(const std::string& text);

/// What stands before the Piece elements, and after them.
std::string vtu_head();
std::string vtu_tail();

/// A DataArray of tuples of `components` values. T: uint8, int32, int64, float or double.
template <class T>
std::string vtu_array(const std::string& name, int components, const std::vector<T>& values);

}  // namespace limber
