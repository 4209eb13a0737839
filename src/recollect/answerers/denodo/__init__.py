"""Answers by a Denodo AI SDK, versions 0.5 to 1.4, as its public sources describe them.

What differs between the versions is in `dialect`, what comes back in `response`; `client` speaks
HTTP and turns failures into our errors, and `answerer` puts a question with its memory to it.
"""
