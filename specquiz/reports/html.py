"""A lab run as one HTML page that stands alone: no script, no network, everything inside."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from html import escape

from specquiz.labs.evidence import Evidence, RequestRun
from specquiz.labs.grading import Grade, Graded, NotGradable, Observation, RuleVerdict
from specquiz.labs.model import Lab
from specquiz.labs.quantities import MEANINGS, shown
from specquiz.reports.figures import positions_figure, predictions_figure, requests_figure

_STYLE = """
:root { color-scheme: light dark; --line: #d4d8de; --soft: #6b7280; --good: #166534; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --line: #3b4048; --soft: #9aa3af; --good: #4ade80; --bad: #f87171; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin: 0; font-size: 1.6rem; } h2 { margin: 2rem 0 .5rem; font-size: 1.15rem; }
.soft { color: var(--soft); } .verdict { font-weight: 700; font-size: 1.2rem; }
.passed { color: var(--good); } .failed, .no_data { color: var(--bad); }
figure { margin: 1rem 0; background: #fff; border: 1px solid var(--line); border-radius: 6px; padding: .5rem; }
figure svg { max-width: 100%; height: auto; } figcaption { color: #4b5563; font-size: .9rem; padding: .25rem .5rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
code, pre { font: .85rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; } pre { white-space: pre-wrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
"""

_OUTCOMES = {"passed": "passed", "failed": "failed", "no_data": "no data"}


def lab_report(lab: Lab, evidence: Evidence, grade: Grade) -> str:
    """The page. What evidence holds is text here, never markup, whoever wrote it.

    Raises:
        SpecquizError: matplotlib is not installed.
    """
    parts = [*_head(lab, evidence, grade)]
    match grade:
        case NotGradable(broken):
            parts.append("<h2>Why there is no grade</h2>")
            parts += _table(("check", "reason"), ((each.invariant, each.reason) for each in broken))
        case Graded():
            parts += _graded(evidence, grade)
    parts += _provenance(evidence)
    return _page(lab.title, "\n".join(parts))


def _page(title: str, body: str) -> str:
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _head(lab: Lab, evidence: Evidence, grade: Grade) -> Iterator[str]:
    outcome, colour = _outcome(grade)
    yield f"<h1>{escape(lab.title)}</h1>"
    yield f'<p class="soft">{escape(lab.id)} · run {escape(evidence.run)} · {_day(evidence.started_at)}</p>'
    yield f'<p class="verdict {colour}">{outcome}</p>'
    yield f"<p>{escape(' '.join(lab.goal.split()))}</p>"


def _outcome(grade: Grade) -> tuple[str, str]:
    if isinstance(grade, NotGradable):
        return "Not gradable", "no_data"
    held = sum(rule.outcome == "passed" for rule in grade.rules)
    count = f"{held} of {len(grade.rules)} rules hold"
    return (f"Passed: {count}", "passed") if grade.passed else (f"Not passed: {count}", "failed")


def _graded(evidence: Evidence, graded: Graded) -> Iterator[str]:
    yield from _figure(
        "Prediction and observation",
        predictions_figure(graded),
        "Dot: observed, with the 95 % interval over requests. Diamond, or the lower line: predicted before the run.",
    )
    yield "<h2>Rules</h2>"
    yield from _rules(graded.rules)
    yield "<h2>Observed</h2>"
    rows = (
        (f"{each.arm} on {each.workload}", MEANINGS[each.quantity].name, *_figures(each)) for each in graded.quantities
    )
    yield from _table(("arm", "quantity", "value", "95 % interval", "predicted"), rows)
    yield from _figure(
        "Acceptance by draft position",
        positions_figure(graded.positions),
        "Bars: share of all drafts accepted up to this position. Line: share among those accepted up to here, "
        "with its 95 % interval.",
    )
    yield from _figure(
        "Request by request",
        requests_figure(_tokens_per_pass(evidence)),
        "The spread between requests is why intervals are taken over requests and not over tokens.",
    )


def _figure(heading: str, svg: str, caption: str) -> Iterator[str]:
    if svg:
        yield f"<h2>{heading}</h2>"
        yield f'<figure role="img" aria-label="{escape(heading)}">{svg}<figcaption>{caption}</figcaption></figure>'


def _rules(rules: Iterable[RuleVerdict]) -> Iterator[str]:
    yield '<div class="wide"><table><tr><th>rule</th><th>outcome</th><th>observed, and why it matters</th></tr>'
    for rule in rules:
        lines = [escape(rule.observed), f'<span class="soft">{escape(" ".join(rule.why.split()))}</span>']
        lines += [escape(" ".join(rule.learn.split()))] if rule.learn else []
        lines.append(f"<code>{escape(' '.join(rule.check.split()))}</code>")
        yield (
            f'<tr><td>{escape(rule.id)}</td><td class="{rule.outcome}">{_OUTCOMES[rule.outcome]}</td>'
            f"<td>{'<br>'.join(lines)}</td></tr>"
        )
    yield "</table></div>"


def _figures(each: Observation) -> tuple[str, str, str]:
    value = each.note if each.value is None else shown(each.value)
    between = "" if each.low is None or each.high is None else f"{shown(each.low)} to {shown(each.high)}"
    predicted = [] if each.predicted is None else [f"{each.predicted:g}"]
    predicted += [] if each.interval is None else [f"{each.interval[0]:g} to {each.interval[1]:g}"]
    return value, between, "; ".join(predicted)


def _tokens_per_pass(evidence: Evidence) -> dict[str, list[float]]:
    return {
        f"{arm} on {workload}": [_mean_step(each) for each in run.requests if len(each.steps) > 1]
        for arm, record in evidence.arms.items()
        for workload, run in record.workloads.items()
    }


def _mean_step(request: RequestRun) -> float:
    """Tokens of one request's decode passes; the first step is the prompt's own pass."""
    return sum(request.steps[1:]) / (len(request.steps) - 1)


def _provenance(evidence: Evidence) -> Iterator[str]:
    yield "<h2>What was run</h2>"
    versions = next((arm.versions for arm in evidence.arms.values() if arm.versions), {})
    opened = "by mastery" if evidence.unlocked_by == "mastery" else "with --unlock, not by mastery"
    yield "<dl>"
    for name, value in (
        ("profile", evidence.profile),
        ("model", evidence.model),
        ("machine", ", ".join(f"{key} {value}" for key, value in evidence.machine.items())),
        ("versions", ", ".join(f"{key} {value}" for key, value in versions.items())),
        ("lab opened", opened),
        ("predictions", "; ".join(f"{name}: {text}" for name, text in evidence.predictions.items())),
        ("committed", _day(evidence.predicted_at)),
        ("started", _day(evidence.started_at)),
        ("order of arms", ", ".join(evidence.order)),
        ("SHA-256 of the evidence", evidence.digest),
    ):
        yield f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
    yield "</dl>"
    rows = (
        (name, arm.status, ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in arm.stages.items()))
        for name, arm in evidence.arms.items()
    )
    yield from _table(("arm", "status", "stages"), rows)
    yield (
        "<p>Everything on this page is computed from the evidence file. <code>specquiz lab grade EVIDENCE</code> "
        "computes it again, without vLLM.</p>"
    )


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    yield '<div class="wide"><table><tr>' + "".join(f"<th>{escape(head)}</th>" for head in heads) + "</tr>"
    for row in rows:
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
    yield "</table></div>"


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(at))
