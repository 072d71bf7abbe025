"""Automation, a part of Systems Manager: runbooks of schema 0.3, their executions and approvals.

Sources: "Systems Manager Automation actions reference" and "Automation system variables" of the user guide; API
reference of StartAutomationExecution, SendAutomationSignal and GetAutomationExecution, read 2026-11.
"""

from . import api, content

__all__ = ['api', 'content']
