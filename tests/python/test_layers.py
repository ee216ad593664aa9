"""tools/check_layers.py accepts this tree and refuses wrong ones, with file and line."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def check(root):
    done = subprocess.run([sys.executable, ROOT / "tools/check_layers.py", root], capture_output=True, text=True)
    return done.returncode, done.stdout


def write(root, name, text):
    path = root / "src/limber" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_this_tree_keeps_its_layers():
    status, output = check(ROOT)
    assert status == 0, output


@pytest.mark.parametrize("name, line, text", [
    ("time/bdf2.hpp", 2, '#pragma once\n#include "limber/force/gravity.hpp"\n'),
    ("mesh/shapes/box.cpp", 1, '#include "limber/linalg/solvers/factor.hpp"\n'),
    ("core/state.hpp", 1, '#include <limber/model/system.hpp>\n'),
    ("material/linear.hpp", 3, '\n\n  #  include "limber/mesh/tet_mesh.hpp"\n'),
    ("sim/deep/loop.cpp", 1, '#include "limber/record/trajectory.hpp"\n'),
    ("solve/newton.cpp", 1, '#include "limber/nowhere/x.hpp"\n'),
    ("solve/newton.cpp", 1, '#include "limber/limber.hpp"\n'),
    ("core/types.cpp", 1, '#include "limber/version.hpp"\n'),
    ("kitchen/sink.cpp", 1, "\n"),
    ("beside.hpp", 1, "\n"),
    ("time/stage.cpp", 1, "if (r.norm() < 1) return;\n"),
    ("solve/newton.cpp", 2, "\nconst double s = d.dot(r);\n"),
    ("sim/driver.cpp", 3, "\n// local\nif (!x.allFinite()) throw 1;\n"),
    ("time/dense.cpp", 3, "// local: the first\nx.isZero(0);\ny.lpNorm<1>();\n"),
    ("scene/read.cpp", 1, "#include <iostream>\n"),
    ("scene/read.cpp", 2, "void f() {\n  std::exit(1);\n}\n"),
    ("linalg/solvers/krylov.cpp", 1, "void f() { abort(); }\n"),
    ("mesh/tet_mesh.cpp", 1, '#include "limber/mesh/io/formats.hpp"\n'),
    ("contact/forces/barrier.cpp", 1, '#include "limber/contact/smooth/smooth_surface.hpp"\n'),
    ("scene/construction/build.cpp", 1, '#include "limber/scene/run/run.hpp"\n'),
    ("scene/cellar/wine.cpp", 1, "\n"),
])
def test_a_wrong_file_is_named_with_its_line(tmp_path, name, line, text):
    write(tmp_path, "core/types.hpp", "#pragma once\n")
    write(tmp_path, name, text)
    status, output = check(tmp_path)
    assert status == 1
    assert f"src/limber/{name}:{line}: " in output


def test_what_is_below_may_be_included_at_any_depth(tmp_path):
    write(tmp_path, "scene/construction/build.cpp", '#include "limber/core/types.hpp"\n#include "limber/mesh/io.hpp"\n')
    write(tmp_path, "time/stage.hpp", '#include "limber/core/state.hpp"\n#include "limber/time/schemes/bdf2.hpp"\n')
    write(tmp_path, "movie/end.cpp", '#include "limber/version.hpp"\n')
    write(tmp_path, "limber.hpp", '#include "limber/core/types.hpp"\n#include "limber/scene/construction/build.hpp"\n')
    status, output = check(tmp_path)
    assert status == 0, output


def test_comments_strings_and_longer_names_are_not_calls(tmp_path):
    write(tmp_path, "core/errors.cpp", '// never exit(1)\n/* abort() */\nconst char* s = "exit(1)";\nvoid on_exit(int);\n')
    status, output = check(tmp_path)
    assert status == 0, output


def test_what_decides_for_one_process_says_why(tmp_path):
    write(tmp_path, "time/stage.cpp", "if (space.norm(x) > 0 && space_.dot(x, y) > 0 && system.space().dot(x, y) > 0) return;\n"
          "if (a.norm() > 0) return;  // local: reduced\n// local: a node\nreturn b.dot(c);\n")
    write(tmp_path, "mesh/tet_mesh.cpp", "return x.norm();\n")  # no room of shared vectors
    status, output = check(tmp_path)
    assert status == 0, output


def test_an_empty_tree_is_an_error(tmp_path):
    status, output = check(tmp_path)
    assert status == 1 and "no sources" in output
