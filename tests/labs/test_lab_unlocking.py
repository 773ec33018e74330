"""A lab opens when its concepts are mastered, and then stays open."""

from __future__ import annotations

from specquiz.labs.model import Lab
from specquiz.labs.unlocking import Locked, Missing, Unlocked, lock, locks, record_opened
from specquiz.sessions.events import LabUnlocked
from specquiz.sessions.mastery import ConceptMastery

MASTERED = ConceptMastery(right=3, answered=4, needed=3)
ALMOST = ConceptMastery(right=2, answered=3, needed=3)
TOO_FEW = ConceptMastery(right=2, answered=2, needed=3)


def test_a_beginner_sees_every_concept_missing(lab: Lab) -> None:
    found = lock(lab, {}, [])

    assert isinstance(found, Locked)
    assert [each.concept for each in found.missing] == list(lab.unlock.mastery)


def test_only_what_is_short_is_missing(lab: Lab) -> None:
    found = lock(lab, {"tokens-per-pass": MASTERED, "acceptance-metrics": ALMOST}, [])

    assert found == Locked((Missing("acceptance-metrics", share=2 / 3, answered=3, needed=3, bound=0.75),))


def test_all_right_but_too_few_keeps_it_locked(lab: Lab) -> None:
    assert isinstance(lock(lab, {"tokens-per-pass": MASTERED, "acceptance-metrics": TOO_FEW}, []), Locked)


def test_reaching_every_bound_opens_it_once(lab: Lab) -> None:
    mastered = {"tokens-per-pass": MASTERED, "acceptance-metrics": MASTERED}
    opened = LabUnlocked(at=1.0, lab=lab.id, how="mastery")

    assert lock(lab, mastered, []) == Unlocked("mastery", recorded=False)

    log: list[LabUnlocked] = []
    assert record_opened([lab], locks([lab], mastered, []), log.append, at=1.0) == (lab,)
    assert log == [opened]
    assert record_opened([lab], locks([lab], mastered, log), log.append, at=2.0) == ()
    assert log == [opened]


def test_it_stays_open_when_mastery_falls(lab: Lab) -> None:
    opened = LabUnlocked(at=1.0, lab=lab.id, how="mastery")

    assert lock(lab, {"tokens-per-pass": ALMOST}, [opened]) == Unlocked("mastery", recorded=True)


def test_opening_by_force_is_remembered_as_such_until_mastery_comes(lab: Lab) -> None:
    forced = LabUnlocked(at=1.0, lab=lab.id, how="override")

    assert lock(lab, {}, [forced]) == Unlocked("override", recorded=True)
    mastered = {"tokens-per-pass": MASTERED, "acceptance-metrics": MASTERED}
    assert lock(lab, mastered, [forced]) == Unlocked("mastery", recorded=False)
