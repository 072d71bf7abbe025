"""State Manager, a part of Systems Manager: associations keep applying a document to instances."""

from . import associations, runs, schedules, types

__all__ = ['associations', 'runs', 'schedules', 'types']
