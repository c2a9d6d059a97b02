"""Everything that can go wrong, as a tree; each leaf of the tree carries the exit code of the command line.

* EndonymError
  + InputError         2   the user's files or words are wrong: mend them and run again
    + RecipeError          a recipe names what does not exist
    + TableError           a row of a table does not fit its record: file, line and field are in the message
    + UnknownName          a name that is on no shelf: says what was probably meant
    + StorageError         the disk is full, or may not be read or written
    + Busy                 another process holds the workspace
  + ModelError         3   the world outside failed
    + Unavailable          a provider's library, key, file or server is missing
    + Unsupported          a model cannot be asked in this way; says which way would do
    + Waiting              a person has not answered yet
    + OverBudget           the next call would cost more than was allowed
  + IntegrityError     4   a file is not what its manifest says
"""

import difflib
from collections.abc import Iterable


class EndonymError(Exception):
    """Base of every error this package raises on purpose."""

    exit_code = 1


class InputError(EndonymError):
    """The user's files or words are wrong."""

    exit_code = 2


class RecipeError(InputError):
    """A recipe asks for something that does not exist."""


class TableError(InputError):
    """A row of a table does not fit its record."""


class StorageError(InputError):
    """A file cannot be read or written: no room, no permission, no such folder."""


class Busy(InputError):
    """Another process is writing this workspace."""


class UnknownName(InputError):
    """A name that stands on no shelf."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
        super().__init__(f"no {kind} {name!r}{hint} There are: {shown}" if hint else f"no {kind} {name!r}; there are: {shown}")


class ModelError(EndonymError):
    """A model could not be asked at all; one failed answer is not an error but a Response."""

    exit_code = 3


class Unavailable(ModelError):
    """A provider's library, key, file or server is missing."""


class Unsupported(ModelError):
    """A model cannot be asked in this way."""


class Waiting(ModelError):
    """A person has not answered yet."""


class OverBudget(ModelError):
    """The next call would cost more than was allowed."""


class IntegrityError(EndonymError):
    """A file is not what its manifest says."""

    exit_code = 4
