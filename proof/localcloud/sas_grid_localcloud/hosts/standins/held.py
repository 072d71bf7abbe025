"""As much of contextlib as the stand-ins use. Importing the real one takes longer than most of them run."""


class _Held:
    """A generator that goes on when a block ends."""

    def __init__(self, generator):
        self._generator = generator

    def __enter__(self):
        return next(self._generator)

    def __exit__(self, _kind, error, _trace):
        if error is None:
            next(self._generator, None)
            return False
        try:
            self._generator.throw(error)
        except StopIteration:
            return True
        except BaseException as same:
            if same is error:
                return False
            raise
        raise RuntimeError('the generator did not stop')


def contextmanager(function):
    """Makes a context manager of a function that yields once."""

    def begin(*given, **named):
        return _Held(function(*given, **named))

    return begin
