"""Why a build ends before its time."""

from .state import Record


class Cancelled(Exception):
    """Somebody asked for it."""


class Failed(Exception):
    """A step of a workflow failed.

    ``context`` is what the image's failure context has of it, besides the workflow and the step.
    """

    def __init__(self, message: str, context: Record | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.context = context or {}


def of_component(arn: str, phase: str, step: str, action: str, message: str) -> Failed:
    """A component failed. What it printed is in the log, as on AWS."""
    about = {'componentArn': arn, 'phaseName': phase, 'stepName': step, 'action': action}
    return Failed(f'Document {arn} failed!', {'componentFailure': {**about, 'errorMessage': message[:LONGEST]}})


LONGEST = 1024
"""Model of ComponentFailureContext: longer messages are truncated."""
