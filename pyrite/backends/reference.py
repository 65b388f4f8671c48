"""The reference backend: NumPy, one op at a time, at the call. The oracle of all tests."""

from __future__ import annotations

from ..errors import OutOfMemoryError
from ..graph import Node
from .base import Array, Backend, reference_storage


class ReferenceBackend(Backend):
    """Computes every node as it comes."""

    name = "flex"

    def submit(self, array: Array) -> None:
        """Computes the node at once."""
        compute(array.node)

    def settle(self) -> None:
        """Nothing is ever queued."""


def compute(node: Node) -> None:
    """Gives a node its storage by its op's reference."""
    assert node.op is not None
    try:
        storage = reference_storage(node.op, [n.array() for n in node.inputs], node.params, node.shape, node.dtype)
    except MemoryError as error:
        raise OutOfMemoryError(f"no memory for {node.op.name} with a result of shape {node.shape}") from error
    node.strides, node.offset = None, 0
    node.settle(storage)
