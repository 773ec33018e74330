"""What runs an arm: a child of a Python that has vLLM, or a server that runs already.

`arm`, `reference`, `server`, what they import (`arguments`, `events`, `facts`, `lookup`, `margins`, `ports`, `sampler`)
and the folder `worker` run in that other Python and know nothing of specquiz; `process`, `attached` and the rest run in
ours.
"""
