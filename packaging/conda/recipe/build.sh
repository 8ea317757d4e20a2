#!/bin/sh
# Called by conda-build, in a copy of the source.
set -eu
meson setup build-conda ${MESON_ARGS:-} --prefix="$PREFIX" -Dlibdir=lib -Dbuildtype=release -Dauto_features=disabled \
    -Dmetis=enabled -Dklu=enabled -Dtests=false
meson compile -C build-conda
meson install -C build-conda
