"""Conditions, and the relations that they are made of.

A condition of several relations becomes true when one of them changes, while the others let it: so it is not missed
where it holds for less than a step of the solver."""
import compute
import wm

JOINING = {"and", "or", "not"}


def logical(e):
    return isinstance(e, tuple) and (e[0] in JOINING or e[0] in wm.RELATIONS)


def joins(e):
    """Whether it is made of conditions."""
    return isinstance(e, tuple) and (e[0] in JOINING or e[0] == "if" or e[0] in ("=", "<>") and any(logical(o) for o in e[1:]))


def parts(e):
    """The relations of a condition, each once."""
    if not joins(e):
        return [] if compute.number_of(e) is not None else [e]
    found = []
    for operand in e[1:]:
        found += [p for p in parts(operand) if p not in found]
    return found


def given(e, part, value):
    """The condition where a part has a value."""
    if e == part:
        return value
    if not joins(e):
        return e
    operands = [given(o, part, value) for o in e[1:]]
    if e[0] == "and":
        return wm.both(*operands)
    if e[0] == "or":
        return wm.either(*operands)
    if e[0] == "not":
        return wm.negated(operands[0])
    if e[0] == "if":
        return wm.choose(*operands)
    known = [compute.number_of(o) for o in operands]
    return compute.apply(e[0], known) if None not in known else (e[0], *operands)
