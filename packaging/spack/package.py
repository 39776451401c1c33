# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#
# A recipe of Spack's, for a repository of one's own: copy it to REPOSITORY/packages/saltus/package.py,
# `spack repo add REPOSITORY`, and set `git` to where Saltus is cloned from. doc/installation.md has the commands.
# Not run: flake8 (--extend-ignore=F403,F405, as Spack itself) has read it. Names of variants are those of
# Spack 0.23's recipes.

from spack.package import *


class Saltus(CMakePackage):
    """Discontinuous Galerkin operators for deal.II on NVIDIA GPUs and CPUs: conservation laws, elliptic
    problems, incompressible flows and polytopic elements; as programs that run from parameter files, and as a
    library."""

    git = "file:///path/of/a/clone/of/saltus"

    license("Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later")

    version("main", branch="main")

    variant("applications", default=True, description="The programs")
    variant("tests", default=False, description="Build the tests")
    variant("portable", default=False, description="Kernels for all x86-64 levels, not only that of the target")
    variant("cuda", default=False, description="Runs on NVIDIA GPUs")
    variant("nccl", default=True, when="+cuda", description="Messages between GPUs by NCCL; tried on one host only")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")

    depends_on("mpi")
    depends_on("zlib-api")
    depends_on("libdeflate")
    depends_on("muparser")
    # All tests pass with 9.4.1; 9.6.2 is partly tested, other versions are not.
    depends_on("dealii@9.4:9.6 +metis+mpi+muparser+p4est+simplex+threads+trilinos")
    depends_on("dealii~cuda", when="+cuda")  # the only one that was tried; Saltus needs none of deal.II's GPU code
    depends_on("trilinos +aztec+belos+epetra+ml")

    depends_on("cuda@12.8:", type="run", when="+cuda")
    depends_on("nccl", type="run", when="+nccl")
    depends_on("googletest", when="+tests")
    depends_on("numdiff", when="+tests")
    depends_on("gmsh", when="+tests", type=("build", "run"))
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-numpy", type="run", when="+applications")
    depends_on("py-matplotlib", type="run", when="+applications")

    generator("ninja")

    conflicts("%gcc@:10", msg="std::experimental::simd is in GCC 11 and later")

    def cmake_args(self):
        return [
            self.define("DEAL_II_DIR", self.spec["dealii"].prefix),
            self.define_from_variant("SALTUS_BUILD_APPLICATIONS", "applications"),
            self.define_from_variant("SALTUS_BUILD_TESTS", "tests"),
            self.define("SALTUS_INSTRUCTION_SETS", "2;3;4" if "+portable" in self.spec else "native"),
        ]

    def setup_run_environment(self, env):
        # What is looked for when a program runs.
        if "+cuda" in self.spec:
            env.prepend_path("LD_LIBRARY_PATH", self.spec["cuda"].prefix.lib64)
        if "+nccl" in self.spec:
            env.prepend_path("LD_LIBRARY_PATH", self.spec["nccl"].prefix.lib)
