#include "program.hpp"

namespace limber::app {

Program this_program() {
  return {{add_run,   add_check,  add_methods,       add_materials, add_schema,  add_modes,     add_statics,
           add_mesh,  add_export, add_damping_curve, add_render,    add_compare, add_view,      add_study,
           add_sweep, add_fit,    add_coarsen,       add_advise,    add_bench,   add_completion},
          ""};
}

}  // namespace limber::app
