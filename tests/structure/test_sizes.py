"""Files of the library have at most 400 lines, functions at most 60; each begins with a comment.

    test_sizes.py SOURCE

A function is what stands between a brace in the first column and the next one that closes in it, which is how clang-format
leaves it."""
import os
import re
import sys

source = sys.argv[1]
sys.path.insert(0, os.path.join(source, "tests", "support"))
import rooms  # noqa: E402
import tap  # noqa: E402

FILE_LINES, FUNCTION_LINES = 400, 60


def library():
    """(path, its lines) of every file of the library."""
    for top in ("src", "cuda", "include"):
        for path in rooms.files(source, top, (".c", ".h", ".cu", ".cuh", ".def")):
            yield f"{top}/{path}", rooms.text(source, top, path).splitlines()


def files_are_short():
    long = [f"{path}: {len(lines)} lines" for path, lines in library() if len(lines) > FILE_LINES]
    assert not long, "\n".join(long)


def functions_are_short():
    functions, long = 0, []
    for path, lines in library():
        start = None
        for number, line in enumerate(lines):
            if line == "{":
                start = number
            elif line == "}" and start is not None:
                functions += 1
                if number - start - 1 > FUNCTION_LINES:
                    long.append(f"{path}:{start}: {number - start - 1} lines")
                start = None
    assert functions > 1000, "the functions were not found"
    assert not long, "\n".join(long)


def files_begin_with_a_comment():
    """Of what the file is for: a sentence at least, not a banner."""
    bare = [path for path, lines in library() if not re.match(r"/\* [^*-][^*]{15,}", "\n".join(lines))]
    assert not bare, "no comment on top:\n" + "\n".join(bare)


tap.run([files_are_short, functions_are_short, files_begin_with_a_comment])
