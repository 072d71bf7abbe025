"""Faults on request: what goes wrong on AWS now and then goes wrong here when somebody asks for it.

A fault is asked for while the embedded AWS runs, by ``POST /_sas_grid/faults`` (``door.py``), is in force for a time
or a number of times, and is written to the history (kind ``fault``). Nothing here changes what a service does once
the fault is over: no record of EC2, Auto Scaling or DynamoDB is ever edited.

=================  ====================================================================================
kind               what it does, and with which fields
=================  ====================================================================================
throttle           refuses calls with the service's own error: ``rules`` as in ``throttling.py``, ``seconds``
hang-shutdown      the instance stays in shutting-down or stopping longer: ``instance``, ``seconds``
no-capacity        launches that all of these are true of fail: ``group`` (Auto Scaling or placement), ``type``,
                   ``zone``; ``seconds``
freeze-host        the processes of a host stand still: ``instance``, ``seconds``
agent-gone         Systems Manager does not know the instance: ``instance``, ``seconds``
kill-function      the process of an invocation is killed in the middle: ``function`` (part of its name),
                   ``count`` invocations, ``after`` (seconds from its start) or ``on`` (an API action: when that
                   call has been done and its answer was not yet given)
restart-functions  the processes of all functions end, at work or not: ``function``
events             the next ``count`` events: ``mode`` drop, duplicate or delay (``seconds``); ``source``
fail-build-step    the next ``count`` runs of a component's step fail: ``step`` (its name)
hang-build-step    such a step goes on until its build is cancelled: ``step``
calm               whatever is in force ends
=================  ====================================================================================
"""
