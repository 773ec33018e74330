"""The first bank of an author: a few questions to change, with the remarks one needs and no more."""

from __future__ import annotations

from specquiz.banks.scalars import NULLS

_TEMPLATE = """\
# yaml-language-server: $schema={schema}
#
# Texts are kept as written. Quote a text (or write | and go on in the next line) if it holds ': ' or ' #', or begins
# with one of [ ] {{ }} ! & * | > % @ ` ' " or a comma. In double quotes a backslash is an escape; prefer single quotes.
bank: {id}
title: {title}
concepts:                     # concepts of your own; those that ship with specquiz need no mention
  {slug}-basics: The basics
questions:
  - id: first-number          # never change an id: a learner's history follows it
    type: numeric
    concepts: [{slug}-basics]
    level: 1                  # 1 warm-up, 2 solid, 3 strong, 4 staff
    vars:
      D: {{in: [120, 180, 240], domain: "D integer >= 1", say: drafted tokens}}
      A: {{in: [70, 90, 110], domain: "A integer >= 0", say: accepted tokens}}
    prompt: |
      A run drafted {{D}} tokens, and {{A}} of them were accepted.
      What is the draft acceptance rate?
    answer: A/D               # a learner may type the formula, the formula with numbers, or the number
    tolerance: places:2       # or exact, sig:3, rel:0.05, abs:0.01, decades:0.3
    misconceptions:           # wrong formulas that tell what went wrong
      - answer: D/A
        say: The ratio is upside down; a rate is at most 1.
    hints:
      - Which of the two is a part of the other?
    explanation: |
      The draft acceptance rate is accepted over drafted: A/D.
    source: where the fact comes from

  - id: first-choice
    type: single
    concepts: [{slug}-basics]
    level: 1
    prompt: Which token does every target pass emit?
    choices:
      - text: One of the target's own
        say: It is the correction, or the bonus token.
      - text: The first drafted one
        say: The first draft may be rejected.
      - The draft's last one  # a bare text will do
      - text: None of these is certain
        pin: last             # it speaks of the others, so it stays below them
    answer: One of the target's own
    explanation: |
      A pass yields the target's own token whatever becomes of the drafts.
"""


def new_bank(id: str, schema: str) -> str:
    """A bank that loads as it is.

    Args:
        id: the bank's id.
        schema: where the editor finds the schema, relative to the bank's file.
    """
    title = id.replace("-", " ").capitalize()
    return _TEMPLATE.format(id=_written(id), slug=id, title=_written(title), schema=schema)


def _written(text: str) -> str:
    """Quoted where YAML would take it for nothing at all."""
    return f"'{text}'" if text in NULLS else text
