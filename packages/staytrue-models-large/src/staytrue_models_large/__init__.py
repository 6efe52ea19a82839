"""The large models of staytrue, as files; staytrue finds them through an entry point."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "models"
