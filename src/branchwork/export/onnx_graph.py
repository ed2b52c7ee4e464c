"""An ONNX graph that is written operator by operator: every result gets a name that no column has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from branchwork.errors import MissingExtraError

Type = Literal["double", "string", "int64", "bool"]
Shape = Sequence[int | str]

OPERATORS, TREES, FORMAT = 21, 5, 10
"""Versions: of the operators, of those for trees, and of the file. All came with ONNX 1.16."""
ML = "ai.onnx.ml"


@dataclass(frozen=True)
class Value:
    """An input or output: its name, its type and its shape."""

    name: str
    type: Type
    shape: Shape
    about: str = ""


@dataclass(frozen=True)
class _Operator:
    kind: str
    inputs: tuple[str, ...]
    output: str
    domain: str
    attributes: dict[str, Any]
    called: str


@dataclass
class Graph:
    """The graph written so far. Arrays among the attributes become tensors."""

    inputs: list[Value]
    outputs: list[Value] = field(default_factory=list)
    operators: list[_Operator] = field(default_factory=list)
    constants: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.taken |= {value.name for value in self.inputs}

    def name(self, wanted: str) -> str:
        """Return a name like this one that is not taken yet."""
        own, count = wanted, 2
        while own in self.taken:
            own, count = f"{wanted}_{count}", count + 1
        self.taken.add(own)
        return own

    def add(
        self, kind: str, *inputs: str, domain: str = "", output: str = "", called: str = "", **attributes: Any
    ) -> str:
        """Add an operator and return the name of its result. Errors at run time name the operator as `called`."""
        result = output or self.name(kind.lower())
        self.operators.append(_Operator(kind, inputs, result, domain, attributes, called))
        return result

    def constant(self, array: npt.NDArray[Any] | np.generic) -> str:
        """Add an array and return its name."""
        name = self.name("constant")
        self.constants[name] = np.asarray(array)
        return name

    def to_integers(self, name: str) -> str:
        """Convert numbers to integers."""
        return self.add("Cast", name, to=7)  # int64, as ONNX numbers its types

    def to_doubles(self, name: str) -> str:
        """Convert numbers or booleans to doubles."""
        return self.add("Cast", name, to=11)

    def answer(self, wanted: str, type: Type, shape: Shape, result: str, about: str) -> None:  # noqa: A002
        """Make a result an output with the wanted name, or a similar one."""
        name = self.add("Identity", result, output=self.name(wanted))
        self.outputs.append(Value(name, type, shape, about))

    def to_bytes(self, facts: dict[str, str]) -> bytes:
        """Return the file: the graph, checked, with metadata for people and programs."""
        try:
            from onnx import TensorProto, checker, helper, numpy_helper
        except ImportError:
            raise MissingExtraError('export("onnx")', "onnx", "onnx") from None
        types = {
            "double": TensorProto.DOUBLE,
            "string": TensorProto.STRING,
            "int64": TensorProto.INT64,
            "bool": TensorProto.BOOL,
        }

        def tensor(array: npt.NDArray[Any], name: str = "") -> TensorProto:
            return numpy_helper.from_array(array, name)

        def plain(attribute: Any) -> Any:
            return tensor(attribute) if isinstance(attribute, np.ndarray) else attribute

        def info(value: Value) -> Any:
            return helper.make_tensor_value_info(value.name, types[value.type], value.shape, value.about)

        nodes = [
            helper.make_node(
                one.kind,
                one.inputs,
                [one.output],
                domain=one.domain,
                name=one.called or None,
                **{name: plain(attribute) for name, attribute in one.attributes.items()},
            )
            for one in self.operators
        ]
        written = helper.make_model(
            helper.make_graph(
                nodes,
                "branchwork",
                [info(value) for value in self.inputs],
                [info(value) for value in self.outputs],
                [tensor(array, name) for name, array in self.constants.items()],
            ),
            producer_name="branchwork",
            ir_version=FORMAT,
            opset_imports=[helper.make_opsetid("", OPERATORS), helper.make_opsetid(ML, TREES)],
        )
        helper.set_model_props(written, facts)
        checker.check_model(written, full_check=True)
        return bytes(written.SerializeToString(deterministic=True))
