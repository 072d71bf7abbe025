"""Writers of one machine: each is stopped by itself."""

from typing import Any, cast

from sas_grid_lab.scenarios._sequence import Writer


class Recorder:
    """Answers as a machine on which all goes well, and keeps what it was told."""

    name = 'client'

    def __init__(self) -> None:
        self.told: list[str] = []

    def put(self, *_: object) -> None: ...

    def background(self, command: str, unit: str) -> None:
        self.told.append(command)

    def run(self, command: str, timeout: float = 300) -> str:
        self.told.append(command)
        return '9' if command.endswith('wc -l') else '0 1.0\n1 1.5\n'


def test_the_end_of_one_writer_ends_no_other() -> None:
    machine = Recorder()
    writers = [Writer(cast(Any, machine), f'/sasdata/sequence-{number}') for number in (0, 1)]
    for writer in writers:
        writer.start()
    programs = [told for told in machine.told if told.startswith('exec')]
    stops = [program.split()[-1] for program in programs]
    assert len(set(stops)) == 2
    machine.told.clear()
    assert writers[0].stop().count == 2
    assert any(f'touch {stops[0]};' in told for told in machine.told)
    assert not any(stops[1] in told for told in machine.told)
