from hypothesis import settings

# No deadline: a slow machine is not a wrong answer.
settings.register_profile("recollect", deadline=None)
settings.load_profile("recollect")
