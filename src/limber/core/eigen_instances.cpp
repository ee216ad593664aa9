#include "limber/core/eigen_instances.hpp"

LIMBER_EIGEN_INSTANCES()
