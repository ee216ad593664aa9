"""What pyproject.toml cannot say: CMake compiles the module.

LIMBER_BUILD_DIR names a build folder that is used instead of a fresh one.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
WORK = ROOT / "build" / "pip"


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        build = Path(os.environ.get("LIMBER_BUILD_DIR", WORK / f"cmake-{sys.implementation.cache_tag}")).resolve()
        if not (build / "CMakeCache.txt").is_file():
            subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
                            "-DLIMBER_TESTS=OFF", "-DLIMBER_BENCH=OFF", f"-DPython3_EXECUTABLE={sys.executable}"],
                           check=True)
        subprocess.run(["cmake", "--build", build, "--target", "limber_python"], check=True)
        target = Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(build / "python" / "limber" / target.name, target)


WORK.mkdir(parents=True, exist_ok=True)
setup(
    version=re.search(r"project\(limber VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1],
    ext_modules=[Extension("limber._limber", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    options={"build": {"build_base": str(WORK)}, "egg_info": {"egg_base": str(WORK)}},  # not in the folder of the sources
)
