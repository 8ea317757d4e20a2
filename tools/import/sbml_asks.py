"""What a file of SBML asks for before its model can be read: that it is valid, and its packages.

Of packages, comp is flattened by libSBML, as long as the file says that it needs it; others that a file requires
are refused, and those that it does not require are left aside, as SBML allows."""
import libsbml
import wm

FLATTENED = "comp"
MATH = {"l3v2extendedmath"}  # functions that formulas have in any case


def refuse_errors(document):
    found = [document.getError(i) for i in range(document.getNumErrors())]
    wrong = [error for error in found if error.getSeverity() >= libsbml.LIBSBML_SEV_ERROR]
    if wrong:
        texts = dict.fromkeys(" ".join(error.getMessage().split()) for error in wrong)
        raise wm.Unsupported("errors that libSBML finds", wrong[0].getLine(), " / ".join(texts))
    if document.getModel() is None:
        raise wm.Unsupported("files without a model")


def packages(document):
    """[(name, whether it is required)]; libSBML knows those, or has their addresses alone."""
    known = [document.getPlugin(i).getPackageName() for i in range(document.getNumPlugins())]
    unknown = [document.getUnknownPackageURI(i) for i in range(document.getNumUnknownPackages())]
    return [(name, document.getPackageRequired(name)) for name in known + unknown]


def refuse_units(model):
    """Units that a law or an event has of its own: levels 1 and 2 mean factors by them."""
    laws = [r.getKineticLaw() for r in model.getListOfReactions() if r.isSetKineticLaw()]
    for law in laws:
        if law.isSetTimeUnits() or law.isSetSubstanceUnits():
            raise wm.Unsupported("units of kinetic laws and events", law.getLine())
    for event in model.getListOfEvents():
        if event.isSetTimeUnits():
            raise wm.Unsupported("units of kinetic laws and events", event.getLine(), event.getId())


def flatten(document):
    properties = libsbml.ConversionProperties()
    for option, value in (("flatten comp", True), ("performValidation", False), ("leavePorts", False)):
        properties.addOption(option, value)
    document.getErrorLog().clearLog()
    if document.convert(properties) != libsbml.LIBSBML_OPERATION_SUCCESS:
        refuse_errors(document)
        raise wm.Unsupported("submodels that libSBML cannot flatten")


def prepared(path):
    """The model of a file, flat."""
    document = libsbml.readSBMLFromFile(path)
    for name, required in packages(document) if document.getLevel() == 3 else []:
        if required and name != FLATTENED and name not in MATH:
            raise wm.Unsupported("packages that the file requires", document.getLine(), name)
    refuse_errors(document)
    if document.isPackageEnabled(FLATTENED):
        flatten(document)
    refuse_units(document.getModel())
    return document, document.getModel()
