"""Each bridge against the real package, in an environment of its own.

The environments are made in the folder STAYTRUE_BRIDGES, and kept there:

    STAYTRUE_BRIDGES=.bridges pytest -m bridge
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from tests.conftest import REPOSITORY

from staytrue.core.installing import install_line

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest needs it there, too

HERE = Path(__file__).parent
EXTRAS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
BRIDGES = (
    "deepeval", "ragas", "langchain", "datasets", "inspect", "llamaindex", "mlflow", "wandb",
)  # fmt: skip
PACKAGES: dict[str, list[str]] = {name: EXTRAS[name] for name in BRIDGES}
# Tools whose files we read and write; that needs no package, and so no extra.
FORMATS = {
    "argilla": ["argilla"],
    "labelstudio": ["label-studio-sdk"],
    # The exporter and the helper for generative AI have pre-releases only, which pip takes if one
    # is named. Phoenix itself is a whole server; it stores what OpenInference's helpers write.
    "opentelemetry": [
        "opentelemetry-sdk", "opentelemetry-util-genai>=1.3b0",
        "opentelemetry-exporter-otlp-json-file>=0.66b1", "openinference-instrumentation",
    ],
}  # fmt: skip


def environment(name: str, folder: Path) -> Path:
    """The Python of an environment that holds the package; its versions win over ours.

    What staytrue itself needs is taken from where these tests run, so that it is not installed
    ten times over.
    """
    home = folder / name
    python = home / "bin" / "python"
    if not (folder / f"{name}.ok").exists():
        venv.create(home, with_pip=True, clear=True)
        command = [python, "-m", "pip", "install", "--quiet", *(PACKAGES | FORMATS)[name], "pytest"]
        subprocess.run(command, check=True)
        (folder / f"{name}.ok").touch()
    (site,) = home.glob("lib/python*/site-packages")
    ours = [REPOSITORY / "src", sysconfig.get_path("purelib")]
    (site / "staytrue-bridge.pth").write_text("".join(f"{path}\n" for path in ours))
    return python


def test_every_bridge_is_checked() -> None:
    assert sorted(f"check_{name}.py" for name in PACKAGES | FORMATS) == sorted(
        path.name for path in HERE.glob("check_*.py")
    )


@pytest.mark.bridge
@pytest.mark.slow
@pytest.mark.parametrize("name", [*PACKAGES, *FORMATS])
def test_the_bridge_works_with_the_real_package(name: str, tmp_path: Path) -> None:
    folder = os.environ.get("STAYTRUE_BRIDGES")
    if not folder:
        pytest.skip("set STAYTRUE_BRIDGES to a folder for the environments")
    Path(folder).mkdir(parents=True, exist_ok=True)
    python = environment(name, Path(folder).resolve())
    # None of them may send anything anywhere.
    quiet = {
        "DEEPEVAL_TELEMETRY_OPT_OUT": "1", "RAGAS_DO_NOT_TRACK": "true", "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(tmp_path), "LANGSMITH_TRACING": "false",
    }  # fmt: skip
    plain = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull,
         "--rootdir", tmp_path, HERE / f"check_{name}.py"],
        cwd=tmp_path, env={**plain, **quiet}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PACKAGES, "huggingface"])
def test_without_its_package_a_bridge_says_what_to_install(name: str) -> None:
    module = "huggingface" if name == "datasets" else name
    # Where the package is installed by chance, it is hidden.
    code = (
        "import sys\n"
        "for name in ('deepeval', 'ragas', 'langchain_core', 'datasets', 'evaluate', 'inspect_ai',"
        " 'llama_index', 'mlflow', 'wandb'):\n"
        "    sys.modules[name] = None\n"
        "from staytrue.core.errors import MissingExtra\n"
        "try:\n"
        f"    import staytrue.integrations.{module}\n"
        "except MissingExtra as error:\n"
        "    print(error)\n"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    extra = "datasets" if name == "huggingface" else name
    assert f"needs an extra: run  {install_line(extra)}  first." in output
