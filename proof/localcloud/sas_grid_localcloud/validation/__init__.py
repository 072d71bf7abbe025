"""Requests that AWS would refuse for what they look like, before what they ask for is done."""

from .door import install

__all__ = ['install']
