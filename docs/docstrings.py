"""Reads the "Example:" sections of docstrings as what they are: sessions of the interpreter."""

import re
from typing import Any

import griffe


class Examples(griffe.Extension):
    """The docstring style knows "Examples:" only, and would set the others as prose."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = re.sub(r"^( *)Example:$", r"\1Examples:", obj.docstring.value, flags=re.MULTILINE)
