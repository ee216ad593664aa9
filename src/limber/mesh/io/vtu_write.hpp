#pragma once
/// Text fragments for writing .vtu files. Numbers are in base64, in the native byte order.

#include <string>
#include <vector>

namespace limber {

/// Escapes text for attributes.
std::string xml_escaped(const std::string& text);

/// The text before and after the Piece elements.
std::string vtu_head();
std::string vtu_tail();

/// A DataArray of tuples of `components` values. T: uint8, int32, int64, float or double.
template <class T>
std::string vtu_array(const std::string& name, int components, const std::vector<T>& values);

}  // namespace limber
