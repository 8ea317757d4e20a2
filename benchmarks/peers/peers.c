/* The list of peers. See peers.h. */
#include "peers.h"

#define GET_SUITESPARSE(name) "Debian: libsuitesparse-dev; configure with -D" name "=enabled"
#define GET_SUPERLU "Debian: libsuperlu-dev; configure with -Dsuperlu=enabled"
#define GET_MUMPS "Debian: libmumps-seq-dev; configure with -Dmumps=enabled"
#define GET_SUPERLU_MT \
    "build it from its authors' source; configure with -Dsuperlu_mt_prefix=FOLDER, or with -Dsuperlu_mt_library=FILE " \
    "-Dsuperlu_mt_include=FOLDER"
#define GET_PARDISO "the Python packages mkl and mkl-devel have it; configure with -Dmkl_prefix=FOLDER"
#define GET_CKTSO "its authors give a library and a header; configure with -Dcktso_library=FILE -Dcktso_include=FOLDER"
#define GET_CUDSS "the Python package nvidia-cudss-cu13 has it; configure with -Dcudss_prefix=FOLDER"
#define GET_CUSOLVER \
    "a part of the CUDA toolkit; configure with -Dcusolver=enabled, elsewhere than usual -Dcudatoolkit_prefix=FOLDER"
#define GET_GLU "build it from its authors' source; configure with -Dglu_program=FILE"

/* Names, plug-ins, what each entry is, how to get it, the plug-in's variant. */
const peer peer_list[] = {
    {"warplu", "warplu", "warplu itself in a process of its own", "part of every build", 0, 0, 0},
    {"warplu-untold", "warplu", "the same, not told how many refactorizations come", "part of every build", 1, 0, 0},
    {"klu", "klu", "KLU, rows scaled by their largest entry (its default)", GET_SUITESPARSE("klu"), 2, 0, 2},
    {"klu-noscale", "klu", "KLU without scaling and without its check of the input", GET_SUITESPARSE("klu"), -1, 0, 2},
    {"umfpack", "umfpack", "UMFPACK, refinement as by default", GET_SUITESPARSE("umfpack"), 0, 0, 0},
    {"umfpack-unrefined", "umfpack", "UMFPACK without refinement", GET_SUITESPARSE("umfpack"), 1, 0, 0},
    {"superlu", "superlu", "SuperLU, same pattern and row permutation", GET_SUPERLU, 0, 0, 0},
    {"superlu-symmetric", "superlu", "SuperLU in its symmetric mode", GET_SUPERLU, 1, 0, 0},
    {"superlu_mt", "superlu_mt", "SuperLU_MT, pivots kept while the largest (its default)", GET_SUPERLU_MT, 0, 5, 1},
    {"superlu_mt-tol", "superlu_mt", "SuperLU_MT, pivots kept from 0.001 of the largest on", GET_SUPERLU_MT, 1, 5, 1},
    {"mumps", "mumps", "MUMPS, sequential, factored anew", GET_MUMPS, 0, 0, 0},
    {"pardiso", "pardiso", "oneMKL PARDISO, refinement where it replaced pivots (its default)", GET_PARDISO, 0, 0, 1},
    {"pardiso-refined", "pardiso", "oneMKL PARDISO, two refinement steps in every solve", GET_PARDISO, 1, 0, 1},
    {"cktso", "cktso", "CKTSO, refactorization", GET_CKTSO, 0, 0, 1},
    {"cktso-fast", "cktso", "CKTSO, fast factorization, which checks pivots", GET_CKTSO, 1, 0, 1},
    {"cktso-scaled", "cktso", "CKTSO, refactorization, with its scaling", GET_CKTSO, 2, 0, 1},
    {"cudss", "cudss", "cuDSS, matching automatic, no refinement", GET_CUDSS, 2, 0, 0},
    {"cudss-ir2", "cudss", "cuDSS, matching automatic, two refinement steps", GET_CUDSS, 3, 0, 0},
    {"cudss-nomatch", "cudss", "cuDSS, no matching, no refinement", GET_CUDSS, 0, 0, 0},
    {"cudss-nomatch-ir2", "cudss", "cuDSS, no matching, two refinement steps", GET_CUDSS, 1, 0, 0},
    {"cudss-deterministic", "cudss", "cuDSS, matching automatic, deterministic", GET_CUDSS, 6, 0, 0},
    {"cusolverrf", "cusolverrf", "cusolverRf on KLU's factors", GET_CUSOLVER, 0, 0, 0},
    {"cusolverrf-alg2", "cusolverrf", "cusolverRf on KLU's factors, its second algorithms", GET_CUSOLVER, 1, 0, 0},
    {"cusolver-dense", "cusolver_dense", "cuSOLVER's dense LU", GET_CUSOLVER, 0, 0, 0},
    {"glu", "glu", "GLU 3.0, single precision", GET_GLU, 0, 0, 0},
    {"glu-perturb", "glu", "GLU 3.0, single precision, small pivots perturbed", GET_GLU, 1, 0, 0},
};
const int peer_count = sizeof peer_list / sizeof peer_list[0];
