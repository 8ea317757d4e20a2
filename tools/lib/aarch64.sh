# What tools/check needs to build for AArch64 on another machine and to run the tests there: Debian's cross compiler, QEMU, and the
# libraries that Debian has for arm64. Sourced by sh after setup.sh.
#
#   aarch64_list          for setup_run: compiler, C library, QEMU
#   aarch64_ready FOLDER  libraries into FOLDER and a cross file for meson, FOLDER/cross.ini; 1 where that cannot be, and
#                         aarch64_reason says why
#
# The libraries are not installed: packages of a second architecture would have to be of the very versions that the first one has,
# and dpkg would have to be told of it. apt fetches them with lists of its own below FOLDER, without root, and dpkg unpacks them
# there. Once, 12 MB; lists and packages are removed when that is done.

aarch64_libc=/usr/aarch64-linux-gnu
aarch64_headers='libsuitesparse-dev libmetis-dev zlib1g-dev'
# Of what these depend on; their numbers are those of the release of Debian.
aarch64_libraries='(libamd|libbtf|libcolamd|libmetis|libsuitesparseconfig)[0-9]+|zlib1g'
aarch64_reason=

aarch64_list() {
    [ "$(uname -m)" != aarch64 ] || return 0
    setup_want "a cross compiler for AArch64, whose tests QEMU runs" gcc-aarch64-linux-gnu setup_command aarch64-linux-gnu-gcc
    setup_want "its C library" libc6-dev-arm64-cross test -f "$aarch64_libc/include/stdio.h"
    setup_want "QEMU" qemu-user setup_command qemu-aarch64
}

# FOLDER TOOL ...: apt-get or apt-cache, of arm64 alone, that knows of no installed package.
aarch64_apt() {
    aarch64_state=$1 aarch64_tool=$2
    shift 2
    LC_ALL=C "$aarch64_tool" -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User="$(id -un)" \
        -o Dir::State="$aarch64_state" -o Dir::State::status=/dev/null -o Dir::Cache="$aarch64_state/cache" "$@"
}

# Libraries and headers of arm64 into a folder, an absolute path.
aarch64_unpack() {
    aarch64_lists=$1/apt
    rm -rf "$1"
    mkdir -p "$aarch64_lists/lists/partial" "$aarch64_lists/cache/archives/partial" || return 1
    # A source that has nothing for arm64, or is away, is no failure as long as the packages come from another.
    aarch64_apt "$aarch64_lists" apt-get update
    # shellcheck disable=SC2086
    aarch64_packages=$(aarch64_apt "$aarch64_lists" apt-cache depends --important $aarch64_headers |
        sed -n 's/^ *|*Depends: //p' |
        grep -Ex "$aarch64_libraries" | sort -u)
    # shellcheck disable=SC2086
    (cd "$aarch64_lists" && aarch64_apt "$aarch64_lists" apt-get download $aarch64_headers $aarch64_packages) || return 1
    for aarch64_package in "$aarch64_lists"/*.deb; do
        dpkg -x "$aarch64_package" "$1" || return 1
    done
    rm -rf "$aarch64_lists"
}

# The cross file for a folder of unpacked libraries, an absolute path.
aarch64_write_cross() {
    cat <<EOF
[constants]
root = '$1'
libraries = root / 'usr/lib/aarch64-linux-gnu'
more = root / 'lib/aarch64-linux-gnu'

[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['$PWD/tools/lib/aarch64-run', '-L', '$aarch64_libc', '-E', 'LD_LIBRARY_PATH=' + libraries + ':' + more]

[properties]
needs_exe_wrapper = true
sys_root = root
pkg_config_libdir = libraries / 'pkgconfig'

[built-in options]
c_args = ['-isystem', root / 'usr/include']
c_link_args = ['-L' + libraries, '-L' + more, '-Wl,-rpath-link,' + libraries + ':' + more]

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
EOF
}

aarch64_ready() {
    if [ "$(uname -m)" = aarch64 ]; then
        aarch64_reason="this machine is one, and has run the tests above"
    elif ! setup_command aarch64-linux-gnu-gcc || [ ! -f "$aarch64_libc/include/stdio.h" ]; then
        aarch64_reason="no cross compiler (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)"
    elif ! setup_command qemu-aarch64; then
        aarch64_reason="no QEMU (qemu-user)"
    elif ! setup_has_apt; then
        aarch64_reason="no apt to fetch its libraries with"
    else
        mkdir -p "$1" && aarch64_folder=$(cd "$1" && pwd) || return 1
        if [ ! -f "$aarch64_folder/cross.ini" ] && ! aarch64_unpack "$aarch64_folder" >"$aarch64_folder.log" 2>&1; then
            aarch64_reason="its libraries cannot be fetched, see $1.log"
        else
            aarch64_write_cross "$aarch64_folder" >"$aarch64_folder/cross.ini"
            return 0
        fi
    fi
    return 1
}
