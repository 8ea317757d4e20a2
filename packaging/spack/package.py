# Spack: the folder of this file is a package of a repository of your own:
#
#     spack repo create ~/warplu-spack warplu
#     cp -r packaging/spack ~/warplu-spack/packages/warplu
#     spack repo add ~/warplu-spack
#     WARPLU_GIT=/path/to/warplu spack install warplu
#
# WARPLU_GIT is where git finds the project, a path or a URL; it has no public home yet.
import os

from spack.package import *


class Warplu(MesonPackage):
    """Refactorizing sparse direct solver: pivots once, replays a compiled schedule."""

    git = os.environ.get("WARPLU_GIT", "file:///set-WARPLU_GIT")

    license("Apache-2.0")

    version("main", branch="main")

    variant("shared", default=True, description="Shared libraries beside the static ones")
    variant("metis", default=True, description="Nested dissection by METIS")
    variant("cuda", default=False, description="The executor on NVIDIA GPUs")
    variant("tools", default=True, description="The command line")

    depends_on("c", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.8:", type="build")
    depends_on("suite-sparse@5:")
    depends_on("metis@5:", when="+metis")
    depends_on("zlib-api")
    depends_on("cuda@12:", when="+cuda", type="build")

    def meson_args(self):
        spec = self.spec
        return [
            f"-Ddefault_library={'both' if '+shared' in spec else 'static'}",
            "-Dauto_features=disabled",
            "-Dklu=enabled",
            "-Dmetis=" + ("enabled" if "+metis" in spec else "disabled"),
            "-Dcuda=" + ("enabled" if "+cuda" in spec else "disabled"),
            f"-Dtools={str('+tools' in spec).lower()}",
            "-Dtests=false",
        ]
