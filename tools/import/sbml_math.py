"""Formulas of SBML, as libSBML has them, as expressions: functions are expanded, and names looked up."""
import libsbml
import mathml
import wm

NAMES = {libsbml.AST_PLUS: "plus", libsbml.AST_TIMES: "times", libsbml.AST_MINUS: "minus", libsbml.AST_DIVIDE: "divide",
         libsbml.AST_POWER: "power", libsbml.AST_FUNCTION_POWER: "power"}
for _operation in ("abs", "arccos", "arccosh", "arccot", "arccoth", "arccsc", "arccsch", "arcsec", "arcsech", "arcsin", "arcsinh",
                   "arctan", "arctanh", "ceiling", "cos", "cosh", "cot", "coth", "csc", "csch", "exp", "factorial", "floor", "ln",
                   "log", "piecewise", "root", "sec", "sech", "sin", "sinh", "tan", "tanh", "max", "min", "quotient", "rem"):
    NAMES[getattr(libsbml, f"AST_FUNCTION_{_operation.upper()}")] = _operation
for _operation in ("and", "not", "or", "xor", "implies"):
    NAMES[getattr(libsbml, f"AST_LOGICAL_{_operation.upper()}")] = _operation
for _operation in ("eq", "geq", "gt", "leq", "lt", "neq"):
    NAMES[getattr(libsbml, f"AST_RELATIONAL_{_operation.upper()}")] = _operation
NUMBERS = {libsbml.AST_CONSTANT_E: mathml.CONSTANTS["exponentiale"], libsbml.AST_CONSTANT_PI: mathml.CONSTANTS["pi"],
           libsbml.AST_CONSTANT_TRUE: 1.0, libsbml.AST_CONSTANT_FALSE: 0.0, libsbml.AST_NAME_AVOGADRO: 6.02214179e23}


class Formulas:
    """named(identifier, line): the expression that an identifier is."""

    def __init__(self, model, named):
        self.functions = {f.getId(): f for f in model.getListOfFunctionDefinitions()}
        self.named, self.open = named, []

    def of(self, element):
        """The expression of an element that has a formula; None where it has none."""
        ast = element.getMath() if element is not None else None
        return None if ast is None else self.convert(ast, {}, element.getLine())

    def convert(self, ast, given, line):
        """given: {name: expression} of a function's arguments."""
        kind = ast.getType()
        if ast.isNumber():
            return self.number(ast)
        if kind == libsbml.AST_NAME:
            return given[ast.getName()] if ast.getName() in given else self.named(ast.getName(), line)
        if kind == libsbml.AST_NAME_TIME:
            return wm.TIME
        if kind in NUMBERS:
            return NUMBERS[kind]
        operands = [ast.getChild(i) for i in range(ast.getNumChildren())]
        if kind == libsbml.AST_FUNCTION_DELAY:
            raise wm.Unsupported("values of the past, by delay()", line)
        if kind == libsbml.AST_FUNCTION_RATE_OF:
            return ("rateof", self.convert(operands[0], given, line))
        operands = [self.convert(o, given, line) for o in operands]
        if kind == libsbml.AST_FUNCTION:
            return self.call(ast.getName(), operands, line)
        if kind not in NAMES:
            raise wm.Unsupported("other operations of MathML", line, libsbml.formulaToL3String(ast))
        try:
            return mathml.operation(NAMES[kind], operands)
        except wm.Unsupported as reason:
            raise wm.Unsupported(reason.kind, line, libsbml.formulaToL3String(ast)) from reason

    @staticmethod
    def number(ast):
        value = ast.getValue()
        if value != value:
            return mathml.CONSTANTS["notanumber"]
        if value in (float("inf"), float("-inf")):
            return ("/", 1.0 if value > 0 else -1.0, 0.0)
        return float(value)

    def call(self, name, operands, line):
        function = self.functions.get(name)
        if function is None or function.getBody() is None:
            raise wm.Unsupported("functions without a formula", line, name)
        if name in self.open:
            raise wm.Unsupported("functions that call themselves", line, name)
        if function.getNumArguments() != len(operands):
            raise wm.Unsupported("operations with other numbers of operands", line, name)
        arguments = {function.getArgument(i).getName(): o for i, o in enumerate(operands)}
        self.open.append(name)
        result = self.convert(function.getBody(), arguments, line)
        self.open.pop()
        return result
