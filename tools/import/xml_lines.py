"""XML as a tree whose elements know their lines; names are (namespace, local name)."""
import xml.parsers.expat

import wm


class Element:
    def __init__(self, space, name, attributes, line):
        self.space, self.name, self.attributes, self.line = space, name, attributes, line
        self.children, self.text, self.tail = [], "", ""

    def get(self, name, default=None):
        return self.attributes.get(name, default)

    def all(self, *names):
        """Children of these names, in the element's own namespace."""
        return [c for c in self.children if c.name in names and c.space == self.space]


class _Reader:
    def __init__(self):
        self.root, self.open = None, []
        self.parser = xml.parsers.expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler, self.parser.EndElementHandler = self.start, self.end
        self.parser.CharacterDataHandler = self.text

    def start(self, name, attributes):
        space, _, local = name.rpartition(" ")
        plain = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        element = Element(space, local, plain, self.parser.CurrentLineNumber)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _):
        self.open.pop()

    def text(self, text):
        here = self.open[-1]
        if here.children:
            here.children[-1].tail += text
        else:
            here.text += text


def read(path):
    """The root of a file."""
    reader = _Reader()
    try:
        with open(path, "rb") as file:
            reader.parser.ParseFile(file)
    except xml.parsers.expat.ExpatError as error:
        raise wm.Unsupported("files that are no XML", error.lineno, xml.parsers.expat.errors.messages[error.code]) from error
    return reader.root
