"""The parts of matrices/fetch.

    failures    why a matrix cannot be had
    say         notes and progress on standard error
    files       sizes, checksums, the lock of a folder
    names       GROUP/NAME, sets, the collection's index
    sums        SHA256SUMS
    net         the server: ranges, attempts
    folder      the folder of matrices, and archives into it
    by_hand     what the user brought
    inventory   verifying and listing

Each imports from those above it alone."""
