"""Which arm runs on which server, where servers are named instead of starting an engine."""

from __future__ import annotations

from collections.abc import Mapping

from specquiz.errors import UsageError
from specquiz.labs.engines.client import Server
from specquiz.labs.evidence import Evidence
from specquiz.labs.model import Lab


def attachments(lab: Lab, speculating: str | None, plain: str | None, named: Mapping[str, str]) -> dict[str, str]:
    """Arm to the address of its server; empty where no server is named. `lab` is tailored to the profile.

    Args:
        speculating: the server of the arms that speculate.
        plain: the server of the arms that decode plainly.
        named: the servers of single arms.

    Raises:
        UsageError: an arm is left without a server, one server would have to serve two configurations, an arm is to
            fail at its start, or an address is none.
    """
    if not (speculating or plain or named):
        return {}
    for unknown in named.keys() - lab.arms.keys():
        raise UsageError(f"There is no arm {unknown!r} in {lab.id}.", remedy=f"Its arms are {', '.join(lab.arms)}.")
    found: dict[str, str] = {}
    refuse_failing(lab)
    for name, arm in lab.arms.items():
        url = named.get(name) or (speculating if arm.speculative_config else plain)
        if url is None:
            option = "--attach" if arm.speculative_config else "--attach-vanilla"
            raise UsageError(
                f"The arm {name} of {lab.id} has no server.",
                remedy=f"Start one with `specquiz lab serve {lab.id} {name}`, and name it with {option} URL or "
                f"--attach {name}=URL.",
            )
        found[name] = _address(url)
    _refuse_shared(lab, found)
    return found


def refuse_failing(lab: Lab) -> None:
    """Refuse a lab that cannot be run on servers.

    Raises:
        UsageError: an arm is to fail at its start.
    """
    for name, arm in lab.arms.items():
        if arm.expect is not None:
            raise UsageError(
                f"The arm {name} of {lab.id} is to fail at its start, so no server can run it.",
                remedy=f"Run this lab without servers: specquiz lab run {lab.id}",
            )


def one_server(lab: Lab, one: str, other: str) -> bool:
    """Whether one server can serve both arms: it has one configuration."""
    a, b = lab.arms[one], lab.arms[other]
    return (a.speculative_config, a.engine, a.model) == (b.speculative_config, b.engine, b.model)


def _address(url: str) -> str:
    try:
        return Server(url).url
    except ValueError as error:
        raise UsageError(f"{error}.") from error


def _refuse_shared(lab: Lab, servers: Mapping[str, str]) -> None:
    owners: dict[str, str] = {}
    for name, url in servers.items():
        owner = owners.setdefault(url, name)
        if not one_server(lab, owner, name):
            raise UsageError(
                f"The arms {owner} and {name} of {lab.id} want different configurations, and one server has one.",
                remedy=f"Name a server for each: --attach {owner}=URL --attach {name}=URL",
            )


def was_attached(evidence: Evidence) -> bool:
    """Whether a run was made on servers that ran already."""
    return any("server" in arm.config for arm in evidence.arms.values())
