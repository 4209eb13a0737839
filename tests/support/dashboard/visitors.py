"""People who look at the dashboard with a real browser, and what their browser noticed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, cast
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from playwright.async_api import Browser, Dialog, Page

from recollect.domain.conversation.message import AnswerDetails, NewMessage, Role
from recollect.domain.conversation.session import NewSession
from recollect.domain.facts.fact import Evidence, Fact, FactSource, FactType
from recollect.domain.identity.accounts import KeyScope
from recollect.domain.identity.scope import Scope, TenantScope
from recollect.interfaces.dashboard.cookies import COOKIE, PATH, CookieCodec, Visit
from recollect.services.facts.facts import ChangeKind, edited
from recollect.services.services import Services

_PATIENCE: Final = 60_000
"""Milliseconds that a page may take on a machine that is busy with other tests."""


@dataclass(slots=True, kw_only=True)
class Visitor:
    """One person with a page of their own."""

    page: Page
    url: str
    scope: Scope
    services: Services
    key: str
    codec: CookieCodec
    problems: list[str] = field(default_factory=list)
    """Errors in the console, requests to other hosts, and dialogs that opened."""
    expected: tuple[str, ...] = ()
    """Parts of problems that the test itself causes."""

    async def sign_in(self, next_page: str = "/dashboard") -> None:
        """Sign in with the key of the visitor."""
        await self.page.goto(f"{self.url}/dashboard/sign-in?next={next_page}")
        await self.page.fill("[name=token]", self.key)
        await self.page.click("main form button.primary")
        await self.page.wait_for_url(f"{self.url}{next_page}")

    async def arrive(self) -> None:
        """Have signed in already."""
        visit = Visit(authorization=f"Bearer {self.key}")
        value, host = self.codec.write(visit), urlsplit(self.url).hostname
        cookie = {"name": COOKIE, "value": value, "domain": host, "path": PATH}
        await self.page.context.add_cookies([cast("Any", cookie)])

    async def open(self, path: str) -> Page:
        """Go to a page of the dashboard."""
        await self.page.goto(f"{self.url}/dashboard{path}")
        return self.page

    def check(self) -> None:
        """Refuse whatever the browser complained about."""
        unexpected = [
            problem
            for problem in self.problems
            if not any(part in problem for part in self.expected)
        ]
        assert unexpected == []

    async def learn(self, *contents: str, type: FactType = FactType.FACT) -> None:  # noqa: A002
        """Store facts."""
        for content in contents:
            await self.services.facts.add(self.scope, content, type=type)

    async def talk(self, *texts: str, name: str | None = None, **details: object) -> UUID:
        """Store a conversation of these texts, the user's first; the details are of the last."""
        session_id = uuid4()
        await self.services.sessions.start(self.scope, NewSession(session_id=session_id, name=name))
        roles = (Role.USER, Role.ASSISTANT)
        plain, last = AnswerDetails(), AnswerDetails(**cast("Any", details))
        messages = [
            NewMessage(
                message_id=uuid4(),
                role=roles[number % 2],
                content=text,
                details=last if number == len(texts) - 1 else plain,
            )
            for number, text in enumerate(texts)
        ]
        await self.services.messages.append(self.scope, session_id, messages)
        return session_id

    async def learn_from(self, quote: str, content: str) -> None:
        """Store a fact with its evidence, in a conversation where it was said."""
        session_id = await self.talk(quote, "Noted.")
        (said, *_) = await self.services.messages.last(self.scope, session_id, count=2)
        facts = self.services.facts
        now = facts.clock.now()
        fact = Fact(
            fact_id=uuid4(),
            type=FactType.FACT,
            priority=FactType.FACT.default_priority,
            content=content,
            source=FactSource.EXTRACTED,
            created_at=now,
            updated_at=now,
            accessed_at=now,
            valid_from=now,
            evidence=Evidence(
                session_id=session_id, message_id=said.message_id, turn_number=1, quote=quote
            ),
        )
        assert await facts.store.commit(self.scope, [edited(fact, ChangeKind.CREATED)], {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """A running server."""

    url: str
    services: Services
    codec: CookieCodec
    """What its cookies are written with."""

    @asynccontextmanager
    async def visited(
        self,
        browser: Browser,
        *,
        user: str = "sanne",
        tenant: str | None = None,
        scopes: tuple[KeyScope, ...] = (KeyScope.USER,),
        **options: object,
    ) -> AsyncIterator[Visitor]:
        """A visitor with a key and a browser window of their own; checked when they leave."""
        tenant = tenant or f"tenant-{uuid4()}"
        _, key = await self.services.api_keys.create(
            TenantScope(tenant=tenant, actor="test"),
            name="a key",
            scopes=scopes,
            user=user if KeyScope.USER in scopes else None,
        )
        context = await browser.new_context(**cast("Any", {"locale": "en-GB", **options}))
        context.set_default_timeout(_PATIENCE)
        page = await context.new_page()
        visitor = Visitor(
            page=page,
            url=self.url,
            scope=Scope(tenant=tenant, user=user, actor="test"),
            services=self.services,
            key=key,
            codec=self.codec,
        )
        _watch(visitor)
        yield visitor
        await context.close()
        visitor.check()


def _watch(visitor: Visitor) -> None:
    page, problems = visitor.page, visitor.problems
    page.on("console", lambda one: one.type == "error" and problems.append(one.text))
    page.on("pageerror", lambda error: problems.append(str(error)))

    async def refuse(dialog: Dialog) -> None:
        problems.append(f"a dialog: {dialog.message}")
        await dialog.dismiss()

    page.on("dialog", refuse)
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(f"{visitor.url}/")
            else problems.append(f"another host: {request.url}")
        ),
    )
