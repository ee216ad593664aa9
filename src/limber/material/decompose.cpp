#include "limber/material/decompose.hpp"

namespace limber {

template Svd<double> svd(const M3<double>& F);

}  // namespace limber
