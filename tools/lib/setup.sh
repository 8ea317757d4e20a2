# Set-up shared by tools/check and tools/demo: finds what the build needs and installs what is missing on Debian.
# Sourced by sh; the caller stands in the repository's root.
#
#   setup_need DESCRIPTION PACKAGE TEST...   required: the test is a command that succeeds where it is there
#   setup_want DESCRIPTION PACKAGE TEST...   optional: its absence is said and the build goes on
#   setup_install                            installs; returns 1 (with a plain message) where something
#                                            required is still missing

setup_required= setup_optional= setup_needs= setup_wants= setup_terminal=
# sudo may ask for a password only where somebody can answer.
if [ -t 0 ]; then setup_terminal=yes; fi

# The C compiler finds this header.
setup_header() {
    for setup_cc in cc gcc clang; do
        command -v "$setup_cc" >/dev/null 2>&1 || continue
        printf '#include <stddef.h>\n#include <stdio.h>\n#include <%s>\n' "$1" | "$setup_cc" -E - >/dev/null 2>&1 && return 0
    done
    return 1
}

setup_command() {
    command -v "$1" >/dev/null 2>&1
}

setup_ninja() {
    setup_command ninja || setup_command ninja-build || setup_command samu
}

setup_compiler() {
    printf '#include <stdio.h>\nint main(void) { return 0; }\n' |
        "$1" -x c -fsyntax-only - >/dev/null 2>&1
}

# Debian's own python3 or the one in PATH can import the module.
setup_python_module() {
    python3 -c "import $1" >/dev/null 2>&1 || /usr/bin/python3 -c "import $1" >/dev/null 2>&1
}

# Debian's own python3, or the one in PATH, can be built extensions for.
setup_python_headers() {
    setup_python=/usr/bin/python3
    [ -x "$setup_python" ] || setup_python=python3
    "$setup_python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
}

setup_need() {
    setup_line="$1 ($2)" setup_package=$2
    shift 2
    "$@" >/dev/null 2>&1 && return 0
    setup_required="$setup_required $setup_package"
    setup_needs="$setup_needs
  $setup_line"
}

setup_want() {
    setup_line="$1 ($2)" setup_package=$2
    shift 2
    "$@" >/dev/null 2>&1 && return 0
    setup_optional="$setup_optional $setup_package"
    setup_wants="$setup_wants
  $setup_line"
}

setup_has_apt() {
    [ -f /etc/debian_version ] && command -v apt-get >/dev/null 2>&1
}

# Runs a command as root; 1 where that cannot be done.
setup_as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    elif ! command -v sudo >/dev/null 2>&1; then
        return 1
    elif [ -n "$setup_terminal" ]; then
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

setup_apt() {
    setup_as_root apt-get install -y -qq --no-install-recommends "$@" </dev/null >"$setup_log" 2>&1
}

# What is listed once more, after an attempt to install it.
setup_say_missing() {
    printf 'warplu needs these (Debian package names in parentheses):%s\n' "$setup_needs" >&2
    if setup_has_apt; then
        printf 'Install them as root:\n  apt-get install%s\n' "$setup_required" >&2
    else
        printf 'Install them with the package manager of this system and run this command again.\n' >&2
    fi
}

setup_install() {
    [ -z "$setup_required$setup_optional" ] && return 0
    if ! setup_has_apt; then
        [ -z "$setup_wants" ] || printf 'Optional, not found, left out:%s\n' "$setup_wants" >&2
        [ -z "$setup_required" ] && return 0
        setup_say_missing
        return 1
    fi
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
        printf 'Packages are missing, and there is neither root nor sudo to install them.\n' >&2
        return 0
    fi
    setup_log=$(mktemp)
    printf 'Installing packages:%s%s\n' "$setup_required" "$setup_optional"
    setup_as_root apt-get update -qq </dev/null >"$setup_log" 2>&1 || {
        printf 'apt-get update failed:\n' >&2
        tail -n 5 "$setup_log" >&2
    }
    # One package that is not to be had must not keep back the others.
    # shellcheck disable=SC2086
    setup_apt $setup_required $setup_optional ||
        for setup_package in $setup_required $setup_optional; do
            setup_apt "$setup_package" || {
                printf 'Package %s could not be installed:\n' "$setup_package" >&2
                tail -n 5 "$setup_log" >&2
            }
        done
    rm -f "$setup_log"
    hash -r
    return 0
}

# Lists, installs, lists again: 0 where all that is required is there.
setup_run() {
    setup_required= setup_optional= setup_needs= setup_wants=
    "$1"
    setup_install || return 1
    [ -n "$setup_required$setup_optional" ] || return 0
    setup_required= setup_optional= setup_needs= setup_wants=
    "$1"
    [ -z "$setup_wants" ] || ! setup_has_apt || printf 'Optional, left out:%s\n' "$setup_wants" >&2
    [ -z "$setup_required" ] && return 0
    setup_say_missing
    return 1
}

# What every build needs.
setup_build_list() {
    setup_need "a C11 compiler" build-essential setup_compiler cc
    setup_need "meson, 1.0 or later" meson setup_command meson
    setup_need "ninja" ninja-build setup_ninja
    setup_need "pkg-config" pkg-config setup_command pkg-config
    setup_need "Python 3" python3 setup_command python3
    setup_need "zlib with headers" zlib1g-dev setup_header zlib.h
    setup_need "SuiteSparse with headers: AMD, COLAMD, BTF; KLU for comparison" libsuitesparse-dev \
        setup_header suitesparse/klu.h
    setup_want "METIS with headers, for nested dissection" libmetis-dev setup_header metis.h
}

# Configures DIRECTORY with the options that follow; a folder that another tree or another meson left is made
# afresh. Output goes to DIRECTORY.log.
setup_configure() {
    setup_directory=$1
    shift
    mkdir -p "$(dirname "$setup_directory")"
    if [ -f "$setup_directory/build.ninja" ] &&
        meson setup --reconfigure "$setup_directory" "$@" >"$setup_directory.log" 2>&1; then
        return 0
    fi
    rm -rf "$setup_directory"
    meson setup "$setup_directory" "$@" >"$setup_directory.log" 2>&1
}
