"""The page that shows exactly what a model would be given with a question, and why."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response

from recollect.domain.context.context import Context
from recollect.domain.conversation.paging import PageRequest
from recollect.domain.conversation.session import Session, parse_uuid
from recollect.domain.followup.dialogue import Rewrite
from recollect.domain.identity.scope import Scope
from recollect.domain.policy import PRESETS
from recollect.domain.recall.entry import MAX_RECALLED, RecallOverrides, parse_recall_scope
from recollect.errors import InvalidInput
from recollect.interfaces.dashboard.rendering import is_htmx, render
from recollect.interfaces.dashboard.routing import DashboardRoute
from recollect.interfaces.dashboard.site import Site, site_of
from recollect.interfaces.dashboard.visitors import Form, KnownVisitor, PostedForm
from recollect.interfaces.http.parameters import ANY_QUERY
from recollect.services.context.contexts import ContextOptions, Contexts

PAGE: Final = "/dashboard/context"
_SESSIONS: Final = 50
_DIGITS: Final = 8
_MODELS: Final = (
    *("gpt-4o", "gpt-4.1", "gpt-3.5-turbo", "llama3.2:3b", "llama-3.1-8b", "qwen2.5:14b"),
    *("mistral-7b", "llama-3.3-70b"),
)
"""Suggestions, one or two of each size."""
_EMPTY: Final = dict.fromkeys(
    ("session", "question", "model", "preset", "max_tokens", "window", "recall", "recall_k"), ""
)
router = APIRouter(
    prefix=PAGE, include_in_schema=False, route_class=DashboardRoute, dependencies=[ANY_QUERY]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What a model would be given, how its question was understood, and how to ask for it."""

    context: Context
    rewrite: Rewrite
    model: str | None
    messages: str
    """The messages as chat models take them, as JSON."""
    curl: str


@router.get("")
async def ask(request: Request, visitor: KnownVisitor, session: str = "") -> Response:
    """Show the form, with a conversation chosen if the address names one."""
    sessions = await _sessions(site_of(request), visitor.scope, session)
    return await render(
        request,
        "inspector/page.html",
        **_choices(request, sessions),
        form={**_EMPTY, "session": session},
        inspection=None,
    )


@router.post("")
async def inspect(request: Request, visitor: KnownVisitor, form: PostedForm) -> Response:
    """Build the context of the question and show all of it; nothing is stored."""
    site = site_of(request)
    session_id = parse_uuid(form.get("session", ""), "session_id")
    question = form.get("question", "")
    contexts, options = _contexts(site, form), _options(form)
    context = await contexts.build(visitor.scope, session_id, question, **options)
    rewrite = await site.services.rewriting.in_session(visitor.scope, session_id, question)
    inspection = Inspection(
        context=context,
        rewrite=rewrite,
        model=options.get("model") or contexts.policies.model,
        messages=orjson.dumps(context.messages(), option=orjson.OPT_INDENT_2).decode(),
        curl=_curl(str(request.base_url), session_id, question, form),
    )
    if is_htmx(request):
        return await render(request, "inspector/result.html", inspection=inspection)
    sessions = await _sessions(site, visitor.scope, form.get("session", ""))
    return await render(
        request,
        "inspector/page.html",
        **_choices(request, sessions),
        form={**_EMPTY, **form},
        inspection=inspection,
    )


def _contexts(site: Site, form: Form) -> Contexts:
    """The service that builds contexts: as the server is set, or as another preset would have it.

    What is stored was stored, and summarised, by the server's own preset. To be inspected is no use
    of a fact: it fades as before.
    """
    contexts = site.services.contexts
    contexts = replace(contexts, facts=replace(contexts.facts, accesses=None))
    preset = form.get("preset", "")
    if not preset or preset == site.settings.preset:
        return contexts
    if preset not in PRESETS:
        raise InvalidInput("preset", f"must be one of: {', '.join(PRESETS)}")
    policies = site.settings.model_copy(update={"preset": preset}).policies()
    facts = replace(contexts.facts, tenants=contexts.facts.tenants.under(policies))
    return replace(contexts, policies=policies, facts=facts)


def _options(form: Form) -> ContextOptions:
    options = ContextOptions(
        model=form.get("model", "").strip() or None,
        max_tokens=_number(form, "max_tokens"),
        window=_number(form, "window"),
    )
    scope, k = form.get("recall", ""), _number(form, "recall_k")
    if k is not None and k > MAX_RECALLED:
        raise InvalidInput("recall_k", f"must lie between 0 and {MAX_RECALLED}")
    options["recall"] = RecallOverrides(scope=parse_recall_scope(scope) if scope else None, k=k)
    return options


def _number(form: Form, name: str) -> int | None:
    text = form.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdecimal()):
        raise InvalidInput(name, "must be a number")
    if len(text) > _DIGITS:
        raise InvalidInput(name, f"must be less than {10**_DIGITS:,}")
    return int(text)


def _curl(address: str, session_id: UUID, question: str, form: Form) -> str:
    """The command that asks the server for the same, where the preset is its own."""
    body: dict[str, object] = {"question": question}
    if model := form.get("model", "").strip():
        body["model"] = model
    for name in ("max_tokens", "window", "recall_k"):
        if (value := _number(form, name)) is not None:
            body[name] = value
    if scope := form.get("recall", ""):
        body["recall_scope"] = scope
    data = shlex.quote(orjson.dumps(body).decode())
    return (
        f"curl {shlex.quote(f'{address}api/v1/sessions/{session_id}/context')} \\\n"
        '  -H "Authorization: Bearer $RECOLLECT_KEY" \\\n'
        f"  -H 'Content-Type: application/json' \\\n  -d {data}"
    )


async def _sessions(site: Site, scope: Scope, chosen: str) -> Sequence[Session]:
    """The latest conversations, and the chosen one if it is older."""
    listed = await site.services.sessions.list(scope, PageRequest(limit=_SESSIONS))
    if not chosen or any(str(one.session_id) == chosen for one in listed.items):
        return listed.items
    session_id = parse_uuid(chosen, "session_id")
    return (*listed.items, await site.services.sessions.get(scope, session_id))


def _choices(request: Request, sessions: Sequence[Session]) -> dict[str, Any]:
    return {
        "sessions": sessions,
        "presets": tuple(PRESETS),
        "preset": site_of(request).settings.preset,
        "models": _MODELS,
    }
