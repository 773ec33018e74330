"""Check typed answers against a closed form, exactly.

from specquiz.answers import Question, check
question = Question("(1 - a^(K+1))/(1 - a)", domain="0 < a < 1; K integer >= 1")
check(question, "Sum(a^i, (i, 0, K))").outcome      # 'correct'
"""

from __future__ import annotations

from specquiz.answers.checking import check
from specquiz.answers.question import Misconception, Question
from specquiz.answers.soundness import reference_problem
from specquiz.answers.verdict import Correct, Invalid, Verdict, Wrong

__all__ = ["Correct", "Invalid", "Misconception", "Question", "Verdict", "Wrong", "check", "reference_problem"]
