"""A file as an array in C: embed.py NAME IN OUT writes `const unsigned char NAME[]`, aligned for what maps it."""
import sys

name, source, target = sys.argv[1:]
with open(source, "rb") as file:
    data = file.read()
lines = [", ".join(map(str, data[k:k + 32])) for k in range(0, len(data), 32)]
with open(target, "w", encoding="ascii") as file:
    file.write(f"extern const unsigned char {name}[];\n_Alignas(64) const unsigned char {name}[] = {{\n")
    file.write(",\n".join(lines) + "\n};\n")
