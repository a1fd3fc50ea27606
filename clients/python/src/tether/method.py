"""How a function that builds an RPC becomes a method of a client that reads as if it were written out."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def described_as(build: Callable[..., Any], method: F) -> F:
    """The method, with the name, the documentation and the parameters of what it was made of: for help() and editors."""
    functools.update_wrapper(method, build)
    del method.__wrapped__  # type: ignore[attr-defined]
    signature = inspect.signature(build)
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    (answer,) = getattr(signature.return_annotation, "__args__", (inspect.Signature.empty,))
    parameters = [itself, *signature.parameters.values()]
    method.__signature__ = signature.replace(parameters=parameters, return_annotation=answer)  # type: ignore[attr-defined]
    return method
