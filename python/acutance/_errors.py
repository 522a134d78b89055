"""Exceptions. Every message names the input, the value and the remedy."""


class AcutanceError(Exception):
    """Base of all errors that acutance raises."""


class InvalidArgumentError(AcutanceError, ValueError):
    """What was asked for cannot be: an unknown name, a value out of range, a wrong shape or size."""


class SessionError(AcutanceError, RuntimeError):
    """A session is used in a way that its state forbids: after close(), by two threads, a result before finish()."""


class NotFoundError(AcutanceError, KeyError):
    """A file, model, feature or score that does not exist."""

    __str__ = Exception.__str__  # not KeyError's, which quotes the message


class BadDataError(AcutanceError, ValueError):
    """A file that is not what it should be: damaged, truncated, wrong counts."""


class UnsupportedError(AcutanceError, RuntimeError):
    """Valid, but not in this build, for this feature or for this kind of array."""


class NoDeviceError(AcutanceError, RuntimeError):
    """The backend that was asked for has no device that works; the message says why."""


class IoError(AcutanceError, OSError):
    """The operating system refused to read or write."""


class OutOfMemoryError(AcutanceError, MemoryError):
    """Host or device memory ran out."""


class CancelledError(AcutanceError):
    """The run was stopped on request."""
