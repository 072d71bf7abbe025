"""Who may talk to the embedded AWS: programs of this machine. No page in a browser may."""

from .door import guarded, install

__all__ = ['guarded', 'install']
