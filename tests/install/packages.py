"""The static libraries, and what find_package of CMake reads: cases of test_install.py."""
import os
import re
import shutil

import stage
import tap

source = ""  # the project's folder


def program_is_right(program):
    output = stage.run_with_libraries(program, stage.write_matrix())
    assert re.fullmatch(r"3 unknowns, backward error \S+e-1[678]\n", output), output


def model_is_right(program):
    """examples/model.c: Robertson's reaction at t = 40."""
    rows = stage.run_with_libraries(program, os.path.join(source, "examples", "models", "robertson.wm")).splitlines()
    last = [float(x) for x in rows[-1].split()]
    assert rows[0] == "t reaction.a reaction.b reaction.c" and len(rows) == 102, rows[0]
    assert all(abs(x - y) < 1e-6 for x, y in zip(last, (40, 0.7158271, 9.1855e-6, 0.2841637))), last


def static_libraries():
    paths = [os.path.join(stage.library_folder(), name) for name in ("libwarplu.a", "libwarplu-mm.a", "libwarpmodel.a")]
    if not any(map(os.path.exists, paths)):
        raise tap.Skip("built without static libraries")
    return paths


def static_libraries_name_what_is_theirs():
    if shutil.which("nm") is None:
        raise tap.Skip("no nm")
    for library in static_libraries():
        lines = stage.run("nm", "--extern-only", "--defined-only", library).splitlines()
        names = [line.split()[-1] for line in lines if len(line.split()) == 3]
        wrong = [name for name in names if not re.match(r"_*(warplu|wlu|wlm)_|__(odr_)?asan|DW\.ref", name)]
        assert len(names) > 10 and not wrong, f"{library}: {wrong}"


def static_libraries_link_in_either_order():
    """By what pkg-config says, from a folder where the linker finds no shared ones."""
    folder = os.path.join(stage.FOLDER, "static")
    os.mkdir(folder)
    for library in static_libraries():
        shutil.copy(library, folder)
    for modules in (stage.BOTH, stage.BOTH[::-1]):
        program = os.path.join(folder, "read_matrix")
        flags = stage.pkg_config(f"--define-variable=libdir={folder}", "--static", "--cflags", "--libs", modules=modules)
        stage.run(*stage.compiler, *stage.sanitizer_flags, os.path.join(source, "examples", "read_matrix.c"), "-o", program, *flags.split())
        assert "libwarplu" not in stage.needed(program)
        program_is_right(program)


def static_models_link():
    folder = os.path.join(stage.FOLDER, "static_model")
    os.mkdir(folder)
    for library in static_libraries():
        shutil.copy(library, folder)
    program = os.path.join(folder, "model")
    flags = stage.pkg_config(f"--define-variable=libdir={folder}", "--static", "--cflags", "--libs", modules=["warpmodel"])
    stage.run(*stage.compiler, *stage.sanitizer_flags, os.path.join(source, "examples", "model.c"), "-o", program, *flags.split())
    assert "libwarp" not in stage.needed(program)
    model_is_right(program)


def build_by_cmake(linking):
    """The consumer's program, linked with the targets of this ending."""
    if shutil.which("cmake") is None:
        raise tap.Skip("no cmake")
    build = os.path.join(stage.FOLDER, "cmake" + linking)
    stage.run("cmake", "-S", os.path.join(source, "tests", "install", "consumer"), "-B", build, f"-DCMAKE_PREFIX_PATH={stage.prefix()}",
              f"-DCMAKE_C_COMPILER={stage.compiler[-1]}", f"-DCMAKE_C_FLAGS={' '.join(stage.sanitizer_flags)}", f"-DLINKING={linking}",
              f"-DSOURCE={os.path.join(source, 'examples', 'read_matrix.c')}",
              f"-DMODEL={os.path.join(source, 'examples', 'model.c')}")
    stage.run("cmake", "--build", build)
    model_is_right(os.path.join(build, "model"))
    return os.path.join(build, "consumer")


def cmake_finds_the_shared_libraries():
    stage.needs_shared_libraries()
    program = build_by_cmake("")
    assert stage.needed(program).count("libwarplu") >= 2
    program_is_right(program)


def cmake_finds_the_static_libraries():
    static_libraries()
    program = build_by_cmake("-static")
    assert "libwarplu" not in stage.needed(program)
    program_is_right(program)


def cmake_takes_versions_of_this_abi():
    if shutil.which("cmake") is None:
        raise tap.Skip("no cmake")
    script = os.path.join(stage.FOLDER, "versions.cmake")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"""foreach(PACKAGE_FIND_VERSION 0.1.9 0.2 0.2.0 0.2.1 0.3 1.0)
  include("{stage.find('warplu-config-version.cmake')}")
  message("${{PACKAGE_FIND_VERSION}} ${{PACKAGE_VERSION_COMPATIBLE}}")
endforeach()
""")
    result = stage.run("sh", "-c", f"cmake -P '{script}' 2>&1")
    assert result.split("\n")[:-1] == ["0.1.9 FALSE", "0.2 TRUE", "0.2.0 TRUE", "0.2.1 FALSE", "0.3 FALSE", "1.0 FALSE"], result


CASES = [static_libraries_name_what_is_theirs, static_libraries_link_in_either_order, static_models_link, cmake_finds_the_shared_libraries,
         cmake_finds_the_static_libraries, cmake_takes_versions_of_this_abi]
