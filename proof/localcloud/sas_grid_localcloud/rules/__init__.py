"""What AWS refuses and no model says: of requests, and of the same fields in templates."""

from .install import install, refuse

__all__ = ['install', 'refuse']
