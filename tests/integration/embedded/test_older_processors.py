"""The embedded PostgreSQL on ARM processors without SVE instructions."""

import platform
from pathlib import Path

import pytest

from recollect.engines.postgres.embedded import portable_pgvector
from recollect.engines.postgres.embedded.portable_pgvector import VERSION, library_folder
from recollect.engines.postgres.embedded.programs import Binaries
from recollect.errors import EmbeddedServerFailed


@pytest.fixture
def processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the kernel says of the processor: an ARM one without SVE."""
    told = tmp_path / "cpuinfo"
    told.write_text("processor\t: 0\nFeatures\t: fp asimd crc32 atomics\n")
    monkeypatch.setattr(portable_pgvector, "_CPU", told)
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    return told


@pytest.mark.usefixtures("processor")
def test_a_processor_without_sve_gets_a_pgvector_it_can_run(tmp_path: Path) -> None:
    folder = library_folder(Binaries.from_wheel(), tmp_path)

    assert folder is not None
    assert (folder / "vector.so").read_bytes()[:4] == b"\x7fELF"
    assert library_folder(Binaries.from_wheel(), tmp_path) == folder, "on the next start, too"


def test_a_processor_with_sve_runs_the_pgvector_of_the_wheel(
    processor: Path, tmp_path: Path
) -> None:
    processor.write_text("Features\t: fp asimd sve\n")

    assert library_folder(Binaries.from_wheel(), tmp_path) is None


def test_other_machines_run_the_pgvector_of_the_wheel(
    processor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    processor.unlink()
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")

    assert library_folder(Binaries.from_wheel(), tmp_path) is None


@pytest.mark.usefixtures("processor")
def test_a_pgvector_of_another_version_is_not_replaced(tmp_path: Path) -> None:
    extension = tmp_path / "share" / "postgresql" / "extension"
    extension.mkdir(parents=True)
    (extension / "vector.control").write_text("default_version = '9.9.9'\n")

    with pytest.raises(EmbeddedServerFailed, match=VERSION):
        library_folder(Binaries(folder=tmp_path / "bin"), tmp_path)
