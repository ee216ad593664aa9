#pragma once
/// What a program needs to read scenes, build and step them, write their results, and add a force, a material or a
/// method of its own. Everything else has a header of its own: docs/api.md.

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/material/catalog.hpp"
#include "limber/material/invariants.hpp"
#include "limber/model/force.hpp"
#include "limber/model/mechanical_system.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/document.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/scene/run/other_method.hpp"
#include "limber/scene/run/run.hpp"
#include "limber/sim/simulation.hpp"
#include "limber/time/catalog.hpp"
#include "limber/time/stepper.hpp"
#include "limber/version.hpp"
