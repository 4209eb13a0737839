"""A Denodo AI SDK on loopback, in three of its dialects, over real HTTP.

Written from the public description of the endpoints; it knows the sales of two years.
"""

import base64
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Header, HTTPException, Request
from pydantic import BaseModel, create_model
from starlette.middleware.base import RequestResponseEndpoint
from starlette.responses import JSONResponse, Response

from support.servers.http_servers import serving

DISCLAIMER = (
    "\n\nDISCLAIMER: This response has been generated based on an LLM's interpretation of the data "
    "and may not be accurate."
)
REGIONS = {
    "2024": {"North": "2.5", "South": "1.8", "East": "2.1", "West": "1.6"},
    "2023": {"North": "2.2", "South": "1.5", "East": "1.9", "West": "1.4"},
}
SQL = (
    "SELECT r.region_name, SUM(s.amount) AS total_sales FROM sales s JOIN regions r "
    "ON s.region_id = r.region_id WHERE YEAR(s.sale_date) = {year} GROUP BY r.region_name"
)
CANDIDATES = ["banking_db.sales", "banking_db.regions", "banking_db.customers"]

Json = dict[str, Any]
Authorization = Annotated[str | None, Header()]


def basic(user: str, password: str) -> str:
    """The header of Basic authentication."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


ALICE = basic("alice", "wonderland")


class DenodoDouble:
    """Remembers what it was asked; `reply` replaces its next answers."""

    def __init__(self, version: str) -> None:
        self.version = version
        self.url = ""
        self.bodies: list[Json] = []
        """The bodies of /answerQuestion, as they were sent."""
        self.authorizations: list[str | None] = []
        self.paths: list[str] = []
        self.reply: Response | None = None
        self.refused = 0
        """How many requests had a field of another type."""
        self.hidden: set[str] = set()
        """Paths that are not found."""
        self.users = {ALICE: "alice", "Bearer alices-token": "alice"}

    @property
    def has_lists(self) -> bool:
        """Whether several names are sent as a list."""
        return self.version >= "1.4"

    def app(self) -> FastAPI:
        """The AI SDK's endpoints."""
        app = FastAPI(title="Denodo AI SDK", version=self.version)
        body = self._request_model()

        @app.middleware("http")
        async def count(request: Request, call_next: RequestResponseEndpoint) -> Response:
            if request.url.path in self.hidden:
                return JSONResponse({"detail": "Not Found"}, HTTPStatus.NOT_FOUND)
            response = await call_next(request)
            self.refused += response.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
            return response

        @app.post("/answerQuestion")
        async def answer_question(  # noqa: ANN202  # whatever the reply is
            request: Request,
            question: body,  # type: ignore[valid-type]
            authorization: Authorization = None,
        ):
            self._note(request, authorization)
            self.bodies.append(await request.json())
            self._check(authorization)
            return self.reply or self._answer(question.question, disclaimer=question.disclaimer)  # type: ignore[attr-defined]

        if self.version != "0.10":

            @app.get("/getAISDKInfo")
            async def info(  # noqa: ANN202
                request: Request, authorization: Authorization = None
            ):
                self._note(request, authorization)
                if authorization is None:
                    raise HTTPException(401, "Unauthorized")
                return {"base_llm": {"provider": "openai"}, "valid_providers": ["openai"]}

            @app.get("/getUserPermissions")
            async def permissions(  # noqa: ANN202
                request: Request, authorization: Authorization = None
            ):
                self._note(request, authorization)
                self._check(authorization)
                return {"username": self.users[authorization or ""], "roles": []}

        return app

    def _request_model(self) -> type[BaseModel]:
        """The request as this version declares it: another type is a 422, and so is null."""
        names: Any = (list[str], []) if self.has_lists else (str, "")
        return create_model(
            "answerQuestionRequest",
            question=(str, ...),
            plot=(bool, False),
            plot_details=(str, ""),
            embeddings_provider=(str, "openai"),
            llm_provider=(str, "openai"),
            llm_model=(str, "gpt-4o"),
            llm_temperature=(float, 0.0),
            llm_max_tokens=(int, 4096),
            vdp_database_names=names,
            vdp_tag_names=names,
            use_views=names,
            expand_set_views=(bool, True),
            custom_instructions=(str, ""),
            markdown_response=(bool, True),
            vector_search_k=(int, 5),
            mode=(Literal["default", "data", "metadata"], "default"),
            disclaimer=(bool, True),
            verbose=(bool, True),
            vql_execute_rows_limit=(int, 100),
        )

    def _note(self, request: Request, authorization: str | None) -> None:
        self.paths.append(request.url.path)
        self.authorizations.append(authorization)

    def _check(self, authorization: str | None) -> None:
        if authorization not in self.users:
            raise HTTPException(401, "Unauthorized")

    def _answer(self, question: str, *, disclaimer: bool) -> JSONResponse:
        year = re.search(r"20\d\d", question)
        if "sales by region" not in question.lower() or year is None:
            return JSONResponse(self._text("Sorry, that doesn't seem something I can help with."))
        sales = REGIONS[year[0]]
        lines = [f"- {region}: ${amount}M" for region, amount in sales.items()]
        text = f"The total sales by region for {year[0]} are:\n" + "\n".join(lines)
        response = self._text(text + (DISCLAIMER if disclaimer else ""))
        rows = {
            f"Row {number}": [
                {"columnName": "region_name", "value": region},
                {"columnName": "total_sales", "value": f"{amount}M"},
            ]
            for number, (region, amount) in enumerate(sales.items(), start=1)
        }
        is_old = self.version == "0.10"
        response |= {
            "sql_query": SQL.format(year=year[0]),
            "query_explanation": "Sums the sales of each region.",
            "execution_result": rows if is_old else {"full": rows, "full_csv": "", "llm": rows},
            "tables_used": CANDIDATES,
            "related_questions": ["What were the sales by product?"],
            "sql_execution_time": 0.25,
        }
        return JSONResponse(response)

    def _text(self, answer: str) -> Json:
        response: Json = {
            "answer": answer,
            "sql_query": "",
            "query_explanation": "",
            "tokens": {"input_tokens": 900, "output_tokens": 100, "total_tokens": 1000},
            "related_questions": [],
            "execution_result": {},
            "tables_used": "",
            "raw_graph": "",
            "sql_execution_time": 0,
            "vector_store_search_time": 0.05,
            "llm_time": 1.5,
            "total_execution_time": 1.8,
        }
        return response if self.version == "0.10" else {**response, "llm_model": "gpt-4o"}


@asynccontextmanager
async def denodo_double(version: str = "1.4") -> AsyncIterator[DenodoDouble]:
    """An AI SDK that is listening."""
    double = DenodoDouble(version)
    async with serving(double.app()) as url:
        double.url = url
        yield double
