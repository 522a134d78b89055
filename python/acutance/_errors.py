"""Exceptions. Every message names the input, the value and the remedy."""


class AcutanceError(Exception):
    """Base of all errors that acutance raises."""


class InvalidArgumentError(AcutanceError, ValueError):
    """An invalid request: an unknown name, a value out of range, a wrong shape or size."""


class SessionError(AcutanceError, RuntimeError):
    """A call that the state of a session forbids: after close(), by two threads, a result before finish()."""


class NotFoundError(AcutanceError, KeyError):
    """A file, model, feature or score that does not exist."""

    __str__ = Exception.__str__  # not KeyError's, which quotes the message


class BadDataError(AcutanceError, ValueError):
    """A damaged or truncated file, or one with wrong counts."""


class UnsupportedError(AcutanceError, RuntimeError):
    """Valid, but not in this build, for this feature or for this kind of array."""


class NoDeviceError(AcutanceError, RuntimeError):
    """The requested backend has no working device; the message says why."""


class IoError(AcutanceError, OSError):
    """The operating system refused to read or write."""


class OutOfMemoryError(AcutanceError, MemoryError):
    """Host or device memory ran out."""


class CancelledError(AcutanceError):
    """The run was stopped on request."""
