"""What runs an arm: a child of a Python that has vLLM, or a server that runs already.

`arm`, `reference` and what they import (`events`, `facts`, `lookup`, `margins`, `sampler`) run in that other Python and
know nothing of specquiz; `process`, `attached` and the rest run in ours.
"""
