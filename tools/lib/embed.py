"""A file as an array in C: embed.py NAME IN OUT writes `const unsigned char NAME[]`, aligned for what maps it, one NUL behind its end.

As a string: compilers read that in a tenth of the time that a list of numbers takes them.
"""
import sys

name, source, target = sys.argv[1:]
with open(source, "rb") as file:
    data = file.read()
rows = ['"' + "".join(f"\\{byte:03o}" for byte in data[k:k + 32]) + '"' for k in range(0, len(data), 32)]
with open(target, "w", encoding="ascii") as file:
    file.write('#pragma GCC diagnostic ignored "-Woverlength-strings" // beyond what C11 asks of compilers\n')
    file.write(f"extern const unsigned char {name}[];\n_Alignas(64) const unsigned char {name}[] =\n")
    file.write("\n".join(rows) + ";\n")
