"""Every code block in README and docs runs, every link leads somewhere, every name is real.

Blocks of one page run in order, in one folder, for one tenant of their own:

- `python` runs as a program; one that starts with `# name.py` is kept in a file of that name.
- `bash` runs with -euo pipefail; what it assigns is there in the page's next one.
- `sql` runs on the server's database, or on the one that the page calls db.example.com.
- `ini` holds settings: from there on server and commands have those, and no others.
- `sh` installs or runs forever, so its commands are only looked up; where it starts the server,
  the server is started anew.
- `text` after a paragraph that ends in 'prints:' is what the block before it must have printed.
"""

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import asyncpg
import pytest
import typer

from recollect.engines.postgres.embedded import EmbeddedServer
from recollect.interfaces.cli.main import app
from recollect.settings import Settings
from support.servers.clusters import scratch_folder
from support.servers.http_servers import ServerProgram, free_port
from support.servers.programs import run_program, run_shell
from support.timeouts import PATIENCE

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ALL_PAGES = [*PAGES, *(ROOT / f"{name}.md" for name in ("CONTRIBUTING", "CHANGELOG", "SECURITY"))]
RUN = {"python", "bash", "sql"}
NOT_RUN = {"sh", "ini", "json", "text", "mermaid"}
PYTEST_OF_A_READER = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_PLUGINS": "pytest_asyncio.plugin",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A code block, the line it starts on, and the last line of text before it."""

    language: str
    text: str
    line: int
    introduction: str


def blocks_of(page: Path) -> list[Block]:
    found: list[Block] = []
    introduction, language, begun = "", None, 0
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.startswith("```"):
            if language is None and line.strip():
                introduction = line.strip()
        elif language is None:
            language, begun = line.removeprefix("```"), number
        else:
            text = "\n".join(lines[begun : number - 1])
            block = Block(language=language, text=text, line=begun, introduction=introduction)
            found.append(block)
            introduction, language = "", None
    assert language is None, f"{page.name}:{begun}: the block has no end"
    return found


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


class Reader:
    """Somebody who follows a page from top to bottom, with a server of their own."""

    def __init__(self, page: Path, *, home: Path, folder: Path) -> None:
        self._home = home
        self._folder = folder
        self._ports = {"8080": free_port(), "8081": free_port()}
        self._tenant = f"reader-{uuid4()}"
        self._settings: dict[str, str] = {}
        self._server: ServerProgram | None = None
        self._postgresql = EmbeddedServer(home)
        if "db.example.com" in page.read_text(encoding="utf-8"):
            self._postgresql = EmbeddedServer(home.parent / "postgresql")
        self._postgresql.start()
        self._printed = ""

    def follow(self, block: Block) -> None:
        """Do what a block says."""
        text = self._here(block.text)
        match block.language:
            case "python":
                self._printed = self._run_python(text)
            case "bash":
                self._printed = self._run_bash(text)
            case "sql":
                self._printed = asyncio.run(self._run_sql(text))
            case "ini" if "MEMORY_" in text:
                self._settings = dict(line.split("=", 1) for line in text.splitlines())
                self._stop_serving()
            case "sh" if starts_the_server(text) and self._server is not None:
                self._stop_serving()
                self._ensure_serving()
            case "text" if block.introduction.endswith("prints:"):
                assert self._printed.strip() == text.strip()

    def leave(self) -> None:
        """Leave nothing running."""
        self._stop_serving()
        self._postgresql.stop()

    def _here(self, text: str) -> str:
        """The text with the addresses of this machine's servers."""
        for named, port in self._ports.items():
            text = text.replace(f"127.0.0.1:{named}", f"127.0.0.1:{port}")
            text = text.replace(f"--port {named}", f"--port {port}")
        socket = self._postgresql.dsn.partition("?")[2]
        return re.sub(r"@db\.example\.com/(\w+)", rf"@/\1?{socket}", text)

    def _run_python(self, text: str) -> str:
        if f"127.0.0.1:{self._ports['8080']}" in text:
            self._ensure_serving()
        named = re.match(r"# (\w+\.py)\n", text)
        program = self._folder / (named[1] if named else "block.py")
        program.write_text(text, encoding="utf-8")
        return self._run_program(program.name)

    def _run_bash(self, text: str) -> str:
        if f"127.0.0.1:{self._ports['8080']}" in text:
            self._ensure_serving()
        recall = "set -a; if [ -f variables ]; then . ./variables; fi"
        keep = "export -p | grep -v '^declare -x MEMORY_' > variables"
        script = f"{recall}\n{text}\n{keep}"
        return run_shell(script, env=self._environment(), folder=self._folder)

    async def _run_sql(self, text: str) -> str:
        named = re.match(r"\\connect (\w+)\n", text)
        dsn = self._postgresql.dsn.replace("@/postgres?", f"@/{named[1] if named else 'postgres'}?")
        connection = await asyncpg.connect(dsn)
        try:
            plain = text[named.end() if named else 0 :]
            statements = re.split(r";$", plain, flags=re.MULTILINE)
            found = [await connection.fetch(statement) for statement in statements]
        finally:
            await connection.close()
        return "\n".join(" | ".join(map(str, row.values())) for rows in found for row in rows)

    def _run_program(self, name: str) -> str:
        done = run_program(name, env=self._environment(), folder=self._folder)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    def _environment(self) -> dict[str, str]:
        outer = {name: value for name, value in os.environ.items() if "COV" not in name}
        outer |= {"RECOLLECT_SOURCE": str(ROOT), "PYTHONPATH": str(ROOT / "tests")}
        return {
            **outer,
            "PATH": os.pathsep.join((str(Path(sys.executable).parent), outer["PATH"])),
            "MEMORY_HOME": str(self._home),
            "MEMORY_TENANT": self._tenant,
            **self._settings,
            **PYTEST_OF_A_READER,
        }

    def _ensure_serving(self) -> None:
        if self._server is None:
            settings = {"MEMORY_TENANT": self._tenant, **self._settings}
            self._server = ServerProgram(self._home, port=self._ports["8080"], env=settings)
            self._server.start()

    def _stop_serving(self) -> None:
        if self._server is not None:
            self._server.stop()
            self._server = None


def commands_of(text: str) -> Iterator[list[str]]:
    """The commands of a shell block, without comments and the settings before them."""
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words = words[1:]
        if words:
            yield words


def starts_the_server(text: str) -> bool:
    return any(
        words[:2] in (["make", "run"], ["recollect", "serve"]) for words in commands_of(text)
    )


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A data folder whose PostgreSQL runs as long as these tests do."""
    with TemporaryDirectory(prefix="recollect-docs-", dir=scratch_folder()) as folder:
        server = EmbeddedServer(Path(folder) / "home")
        server.start()
        yield Path(folder) / "home"
        server.stop()


@pytest.mark.slow(seconds=1.5)
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if RUN & {block.language for block in blocks_of(page)}],
    ids=name_of,
)
def test_every_code_block_runs_and_prints_what_its_page_says(
    page: Path, home: Path, tmp_path: Path
) -> None:
    reader = Reader(page, home=home, folder=tmp_path)
    try:
        for block in blocks_of(page):
            try:
                reader.follow(block)
            except AssertionError as error:
                raise AssertionError(f"{name_of(page)}, line {block.line}: {error}") from error
    finally:
        reader.leave()


def test_every_code_block_has_a_language_that_is_known_here(subtests: pytest.Subtests) -> None:
    for page in ALL_PAGES:
        with subtests.test(page=name_of(page)):
            assert {block.language for block in blocks_of(page)} <= RUN | NOT_RUN


def test_every_json_block_is_json(subtests: pytest.Subtests) -> None:
    for page in ALL_PAGES:
        with subtests.test(page=name_of(page)):
            for block in blocks_of(page):
                if block.language == "json":
                    assert json.loads(block.text)


def test_every_command_that_is_not_run_exists(subtests: pytest.Subtests) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):.*##", makefile, flags=re.MULTILINE))
    commands: object = typer.main.get_command(app)
    for page in ALL_PAGES:
        with subtests.test(page=name_of(page)):
            for block in blocks_of(page):
                for words in commands_of(block.text) if block.language == "sh" else ():
                    if words[0] == "make":
                        assert {word for word in words[1:] if "=" not in word} <= targets, words
                    if words[0] == "recollect":
                        assert is_command(commands, words[1:]), words


def is_command(group: object, words: list[str]) -> bool:
    inner = getattr(group, "commands", None)
    if inner is None:
        return True
    return bool(words) and words[0] in inner and is_command(inner[words[0]], words[1:])


def test_every_link_leads_to_a_file_and_to_a_heading_that_exist(subtests: pytest.Subtests) -> None:
    for page in ALL_PAGES:
        with subtests.test(page=name_of(page)):
            text = page.read_text(encoding="utf-8")
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if target.startswith(("https://", "mailto:")):
                    continue
                path, _, heading = target.partition("#")
                linked = (page.parent / path).resolve() if path else page
                assert linked.exists(), target
                assert not heading or heading in headings_of(linked), target


def headings_of(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


def test_every_setting_that_is_named_exists(subtests: pytest.Subtests) -> None:
    for page in ALL_PAGES:
        with subtests.test(page=name_of(page)):
            named = set(re.findall(r"\bMEMORY_[A-Z][A-Z0-9_]*", page.read_text(encoding="utf-8")))
            assert named <= {f"MEMORY_{name.upper()}" for name in Settings.model_fields}


def test_the_reference_pages_are_up_to_date_on_any_machine() -> None:
    tool = ROOT / "tools" / "generate_reference.py"
    elsewhere = {"HOME": "/nowhere", "COLUMNS": "40", "MEMORY_HOME": "/else", "MEMORY_PORT": "1"}
    done = subprocess.run(
        [sys.executable, str(tool), "--check"],
        env={**os.environ, **elsewhere},
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr


# What only one machine has: somebody's folders, and where its packages came from.
LOCAL_NAMES = re.compile(
    r"/(?:root|work|Users)/\w|/home/[a-z]"
    r"|\b(?:pypi|pythonhosted)\.(?:org|io)|--(?:extra-)?index-url|[Aa]rtifactory|[Dd]evpi"
)
PARTS_OF_LOCAL_NAMES = (
    *("/root/", "/work/", "/Users/", "/home/"),
    *("pypi.", "pythonhosted.", "index-url", "rtifactory", "evpi"),
)
"""One of them is in each text that the pattern finds; to look for them takes a tenth as long."""
MADE_HERE = {"__pycache__", "build", "dist", "htmlcov"}


def kept_files() -> Iterator[Path]:
    """The files of the repository, without what commands leave behind."""
    for folder, inner, names in os.walk(ROOT):
        inner[:] = [name for name in inner if is_kept(name) and name not in MADE_HERE]
        paths = (Path(folder) / name for name in names if is_kept(name))
        yield from (path for path in paths if path.suffix not in {".onnx", ".bin", ".webp"})


def is_kept(name: str) -> bool:
    """Whether a file or folder is no hidden one; what CI runs is."""
    return name == ".ci" or not name.startswith(".")


def test_no_file_names_a_folder_of_one_machine_or_a_package_registry() -> None:
    texts = ((path, path.read_text(encoding="utf-8")) for path in kept_files())
    local_names = [
        f"{name_of(path)}: {match[0]}"
        for path, text in texts
        if any(part in text for part in PARTS_OF_LOCAL_NAMES)
        and (match := LOCAL_NAMES.search(text))
    ]
    assert local_names == []
