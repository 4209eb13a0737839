"""A context as text and values: for chat models, for prompts, for templates.

Everything rendered here was said by somebody. It is quoted as data and marked as a record, so that
a sentence in an old message is never taken for an instruction. The stable parts come first and the
question last, which keeps the prompt caches of models useful.
"""
