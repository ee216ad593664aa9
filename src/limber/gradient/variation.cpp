#include "limber/gradient/variation.hpp"

#include "limber/core/errors.hpp"

namespace limber {

std::vector<SystemSample> SystemVariation::samples(Index) const {
  throw InputError("method.name",
                   "steps of this method are differentiated by whole systems with other values, which this parameter "
                   "does not have; take an implicit method, such as TR-BDF2");
}

}  // namespace limber
