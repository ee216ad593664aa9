#include "limber/record/hdf5_handles.hpp"

#include <cstdio>
#include <cstdlib>

#include "limber/record/files.hpp"

namespace limber::h5 {

bool is_single(hid_t attribute) {
  const Id space(H5Aget_space(attribute), H5Sclose);
  return space.valid() && H5Sget_simple_extent_npoints(space) == 1;
}

std::string last_error() {
  std::string text = "unknown reason";
  const auto first = [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
    if (n == 0 && error->desc) *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &text);
  // Failures of the operating system are described as "..., errno = 28, error message = ...".
  const std::size_t number = text.find("errno = ");
  return number == std::string::npos ? text : error_text(std::atoi(text.c_str() + number + 8));
}

}  // namespace limber::h5
