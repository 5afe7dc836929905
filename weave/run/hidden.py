"""What a run must not depend on, because no trace holds it: the environment, and chance.

Refused is what a line of the project asks for, itself or by calling a library. What libraries ask
for as they are imported is their own.
"""

import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

NO_ENVIRONMENT = "a snippet has no environment ({}): write the value into the script"
NO_CHANCE = (
    "what a snippet draws without a seed is different at each run: draw it from "
    "np.random.default_rng(0), or hand that over"
)
# These take a seed at random for what no result shows: the names of files, and generators whose
# state is set a moment later.
OF_NO_EFFECT = {"tempfile", "numpy.random._pickle", "matplotlib.backends.backend_svg"}
# Between who reads a variable and `Environment`.
STEPPED_OVER = {"os", "collections.abc", "posixpath", "ntpath", "pathlib", "string"}


def callers() -> Iterator[FrameType]:
    """Give the frames that led to the function that asks for them, the innermost first."""
    frame = sys._getframe(2).f_back
    while frame:
        yield frame
        frame = frame.f_back


def is_importing(frame: FrameType) -> bool:
    """Tell whether a frame is of Python's own import of a module."""
    return "importlib" in frame.f_code.co_filename


def is_within(folder: Path, frame: FrameType) -> bool:
    """Tell whether a frame is of code in a folder; Python asks as often as it looks for a file."""
    return frame.f_code.co_filename.startswith(f"{folder}{os.sep}")


def is_asked_by(folder: Path) -> bool:
    """Tell whether a line of the project has asked for what is being done.

    Args:
        folder: in which the lines are that count, snippets/ or docs/.
    """
    is_innermost = True  # a module that is being imported itself, not what it asks for
    for frame in callers():
        if is_importing(frame):
            if not is_innermost:
                return False
            continue
        is_innermost = False
        if is_within(folder, frame):
            return True
        if frame.f_globals.get("__name__") in OF_NO_EFFECT:
            return False
    return False


def refuse_environment(folder: Path) -> None:
    """Have a line of the project that reads a variable of the environment fail.

    Args:
        folder: in which such lines are.
    """

    def refuse_to_ours(what: str) -> None:
        for frame in callers():
            if frame.f_globals.get("__name__") not in STEPPED_OVER:
                if is_within(folder, frame):
                    raise PermissionError(NO_ENVIRONMENT.format(what))
                return

    class Environment(os._Environ):  # type: ignore[type-arg] # Python tells nobody of a look
        def __getitem__(self, name: Any) -> Any:
            refuse_to_ours(repr(name))
            return super().__getitem__(name)

        def __iter__(self) -> Iterator[Any]:
            refuse_to_ours("all of it")
            return super().__iter__()

    os.environ.__class__ = Environment  # also to those who have imported it already


def refuse_chance(folder: Path) -> None:
    """Have a line of the project that draws without a seed fail.

    Args:
        folder: in which such lines are.
    """

    def require_seed(is_seeded: bool = False) -> None:
        if not is_seeded and is_asked_by(folder):
            raise PermissionError(NO_CHANCE)

    watch_the_system(require_seed)
    watch_numpy(require_seed)
    watch_python(require_seed)


def watch_the_system(require_seed: Callable[[], None]) -> None:
    """Have whoever asks the system for a seed asked whether they may."""
    from_the_system = os.urandom

    def urandom(size: int) -> bytes:
        require_seed()
        return from_the_system(size)

    os.urandom = urandom  # as `uuid` does
    vars(random)["_urandom"] = urandom  # as `secrets` does, and numpy's default_rng()


def watch_numpy(require_seed: Callable[[bool], None]) -> None:
    """Have whoever draws from a RandomState, or from the one that all share, asked for its seed."""

    class MT19937(np.random.MT19937):  # numpy looks for this name
        """The generator in a RandomState, whose lock is held by whoever draws from it."""

        def __init__(self, seed: Any = None) -> None:
            self.is_seeded = seed is not None
            super().__init__(seed if self.is_seeded else 0)

        @property
        def lock(self) -> Any:  # type: ignore[override]
            return self

        def __enter__(self) -> None:
            pass

        def __exit__(self, *_: object) -> None:  # only now: it may have been held to be seeded
            require_seed(self.is_seeded)

        def _legacy_seeding(self, seed: Any) -> None:
            self.is_seeded = seed is not None
            super()._legacy_seeding(seed)

        def __setstate__(self, state: Any) -> None:
            self.is_seeded = True  # as a copy of one that was
            super().__setstate__(state)  # type: ignore[misc]

    vars(np.random)["MT19937"] = vars(np.random.mtrand)["_MT19937"] = MT19937
    np.random.mtrand.set_bit_generator(MT19937())


def watch_python(require_seed: Callable[[bool], None]) -> None:
    """Have whoever draws by the module `random` asked for its seed."""

    class Random(random.Random):
        is_seeded = False

        def seed(self, a: Any = None, version: int = 2) -> None:
            self.is_seeded = a is not None
            super().seed(a, version)

        def setstate(self, state: Any) -> None:
            self.is_seeded = True  # as a copy of one that was
            super().setstate(state)

        def random(self) -> float:
            require_seed(self.is_seeded)
            return super().random()

        def getrandbits(self, k: int) -> int:
            require_seed(self.is_seeded)
            return super().getrandbits(k)

    shared, functions = Random(), vars(random)
    for name in random.__all__:
        if getattr(functions[name], "__self__", None) is functions["_inst"]:
            functions[name] = getattr(shared, name)
    functions["Random"] = Random
