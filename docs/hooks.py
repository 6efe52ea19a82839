"""Hooks of the site: cards and notebooks become pages, linked files come along."""

import json
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
# A link out of docs/, such as [examples](../examples/ci/staytrue.yml).
OUTSIDE = re.compile(r"\]\(\.\./([^)#]+)")
SOURCE = "source/"


CARDS = sorted((ROOT / "training" / "cards").glob("*.md"))


def on_config(config):
    """List every model card under what was measured."""
    (measured,) = (part["Measured"] for part in config.nav if "Measured" in part)
    measured += [{f"Model card, {card.stem}": f"cards/{card.name}"} for card in CARDS]
    return config


def _copy(name):
    """Where a file or folder of the repository stands in the site."""
    if name.endswith(".ipynb"):
        return f"notebooks/{posixpath.basename(name).removesuffix('.ipynb')}.md"
    return f"{SOURCE}{name.rstrip('/')}.txt"


def _page(notebook):
    """The cells of a notebook as a page."""
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    return "\n\n".join(
        f"```python\n{text}\n```" if kind == "code" else text for kind, text in cells
    )


def _content(path):
    """A file's text; of a folder, all its files one after the other."""
    if path.suffix == ".ipynb":
        return _page(json.loads(path.read_text("utf-8")))
    if path.is_file():
        return path.read_text("utf-8")
    inside = sorted(file for file in path.rglob("*") if file.is_file())
    return "\n".join(f"==> {file.relative_to(ROOT)}\n\n{_content(file)}" for file in inside)


def on_files(files, config):
    """Add the model cards, and every file of the repository that a page links to."""
    for card in CARDS:
        files.append(File.generated(config, f"cards/{card.name}", abs_src_path=str(card)))
    linked = set()
    for page in Path(config.docs_dir).glob("*.md"):
        linked.update(OUTSIDE.findall(page.read_text("utf-8")))
    for name in sorted(linked):
        # As plain text: the links inside these files are not the site's.
        place = File.generated(config, _copy(name), content=_content(ROOT / name))
        files.append(place)
    return files


def on_page_markdown(markdown, page, **_):
    """Point such links to the files that came along."""
    if page.file.src_uri.startswith("cards/"):
        return re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]+\)", r"\1", markdown)
    here = posixpath.dirname(page.file.src_uri)
    return OUTSIDE.sub(lambda link: f"]({posixpath.relpath(_copy(link[1]), here or '.')}", markdown)
