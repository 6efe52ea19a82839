"""Why a model of the Hugging Face hub, or of a folder, could not be loaded, and what to do then."""

from __future__ import annotations

from staytrue.core.errors import ModelError, one_line


def not_loaded(model: str, error: BaseException, revision: str) -> ModelError:
    """The error for a model that failed to load; `revision` shows how one is written."""
    if _is_out_of_reach(error):
        return ModelError(
            f"The model {model} is not on this machine and the hub cannot be reached: download it "
            "once with network access, or name a folder that holds it."
        )
    return ModelError(
        f"The model {model} cannot be loaded ({_reason(error)}): name another, a folder, or a "
        f"revision that has safetensors weights, as  {revision}."
    )


def _is_out_of_reach(error: BaseException | None) -> bool:
    """Whether the files are neither stored here nor to be had; the hub's library is an extra."""
    while error is not None:
        if type(error).__name__ in ("LocalEntryNotFoundError", "OfflineModeIsEnabled"):
            return True
        error = error.__cause__ or error.__context__
    return False


def _reason(error: BaseException) -> str:
    """The first sentence of what the library says."""
    sentence = str(error).strip().split("\n")[0].split(". ")[0]
    return one_line(sentence, 200).rstrip(".:") or type(error).__name__
