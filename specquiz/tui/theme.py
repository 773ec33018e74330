"""The program's own two themes; every theme that ships with Textual can be chosen as well (ctrl+p, Theme)."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="specquiz-dark",
    primary="#82aad4",
    secondary="#8fb9b0",
    accent="#dfb476",
    success="#93c48b",
    warning="#dfb476",
    error="#e2938c",
    foreground="#d8dde6",
    background="#12151c",
    surface="#181c25",
    panel="#232937",
    dark=True,
)

LIGHT = Theme(
    name="specquiz-light",
    primary="#2f5f94",
    secondary="#2f6f66",
    accent="#8a5a12",
    success="#2f6b2c",
    warning="#8a5a12",
    error="#a1332b",
    foreground="#22262e",
    background="#faf9f6",
    surface="#f1efe9",
    panel="#e4e1d8",
    dark=False,
)
