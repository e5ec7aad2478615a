"""How a run may end: exit codes, and the errors that carry them."""

DONE = 0
WRONG_INPUT = 1
STEP_FAILED = 3


class Ending(Exception):
    """The run ends here; the text says what was found and what was expected."""

    code = WRONG_INPUT


class Refused(Ending):
    """Nothing was run: the target is no medium, is too full, is in use ..."""

    code = 2


class StepFailed(Ending):
    """A step cannot run; what was measured before it is kept."""

    code = STEP_FAILED


class MediumLost(Ending):
    """The medium hangs or is gone: no more input or output to it."""

    code = 4


class Stopped(BaseException):
    """A signal asks for the end; no `Exception`, so that nobody takes it for an error of a step."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.code = 128 + signal_number
