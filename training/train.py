"""Train one of the embedded models: `python -m training.train entailment --until 02:55`.

The learning rate follows the wall clock, so that a run that shares its machine with
others still ends annealed at the stated time. Everything needed to go on is saved every
five minutes and on SIGTERM; running the same command again resumes. The weights from just
before the rate starts to fall are kept as well (`before-anneal.pt`), for a longer run.
"""

from __future__ import annotations

import argparse
import datetime as dt
import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from training.common import CHECKPOINTS, WARM_START
from training.masters import MasterWeights
from training.tasks import TASKS, TrainingTask

SAVE_EVERY = 300.0
REPORT_EVERY = 120.0


def learning_rate(now: float, start: float, anneal: float, end: float, peak: float) -> float:
    """Up during the first two minutes, level until `anneal`, then straight down to 0 at `end`."""
    rising = min(1.0, (now - start + 2.0) / 120.0)
    falling = 1.0 if now < anneal else max(0.0, (end - now) / (end - anneal))
    return peak * rising * falling


def clock(text: str) -> float:
    """Seconds since the epoch of the next time the clock (UTC) shows HH:MM."""
    now = dt.datetime.now(dt.timezone.utc)
    hour, minute = (int(part) for part in text.split(":"))
    moment = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return (moment if moment > now else moment + dt.timedelta(days=1)).timestamp()


def freeze_embeddings(model: torch.nn.Module) -> None:
    for name, weights in model.named_parameters():
        weights.requires_grad = "word_embeddings" not in name and "position_embeddings" not in name


def weight_groups(masters: MasterWeights, decay: float) -> list[dict[str, object]]:
    """Biases and layer norms are not decayed."""
    trained = list(masters.weights.values())
    return [
        {"params": [weights for weights in trained if weights.ndim > 1], "weight_decay": decay},
        {"params": [weights for weights in trained if weights.ndim == 1], "weight_decay": 0.0},
    ]


def save(
    path: Path,
    weights: dict[str, torch.Tensor],
    optimizer: torch.optim.Optimizer,
    step: int,
    drawn: torch.Tensor,
) -> None:
    """Write to the side and rename, so that a kill never leaves half a file."""
    aside = path.with_suffix(".writing")
    whole = {
        "model": weights,
        "optimizer": optimizer.state_dict(),
        "step": step,
        "drawn": drawn,
    }
    torch.save(whole, aside)
    aside.rename(path)


def train(
    task: TrainingTask,
    *,
    folder: Path,
    start_from: Path,
    peak: float,
    end: float,
    hold: float,
    seed: int,
    batch_size: int,
    dropout: float = 0.0,
    bfloat16: bool = False,
    say: Callable[[str], None] = lambda line: print(line, flush=True),
) -> None:
    torch.manual_seed(seed)
    folder.mkdir(parents=True, exist_ok=True)
    model = task.model(start_from)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = dropout
    latest = folder / "latest.pt"
    saved = torch.load(latest, weights_only=True) if latest.exists() else None
    if saved is not None:
        model.load_state_dict(saved["model"])
    freeze_embeddings(model)
    start_weights = {name: one.detach().clone() for name, one in model.state_dict().items()}
    masters = MasterWeights(model, bfloat16=bfloat16)
    optimizer = torch.optim.AdamW(
        weight_groups(masters, 0.01), lr=peak, betas=(0.9, 0.98), fused=True
    )
    step = 0
    # Which examples were ever trained on, so that calibration can keep to the others.
    drawn = torch.zeros(len(task.tokens.lengths), dtype=torch.bool)
    if saved is not None:
        optimizer.load_state_dict(saved["optimizer"])
        step = saved["step"]
        drawn[: len(saved["drawn"])] = saved["drawn"]  # rows may have been added since
        say(f"resumed at step {step}")
    dealt = task.batches(batch_size, seed)
    for _ in range(step):
        next(dealt)
    model.train()
    start = saved_at = reported_at = time.time()
    anneal = start + hold * (end - start)
    annealing = False
    losses: list[float] = []
    seen = 0

    def weights() -> dict[str, torch.Tensor]:
        return start_weights | {name: one.detach() for name, one in masters.weights.items()}

    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopped.append(number))
    while (now := time.time()) < end and not stopped:
        if not annealing and now >= anneal:
            annealing = True
            save(folder / "before-anneal.pt", weights(), optimizer, step, drawn)
        rate = learning_rate(now, start, anneal, end, peak)
        for group in optimizer.param_groups:
            group["lr"] = rate
        indexes = next(dealt)
        drawn[indexes] = True
        loss = task.loss(model, indexes)
        loss.backward()
        masters.take_gradients()
        torch.nn.utils.clip_grad_norm_(masters.weights.values(), 1.0)
        optimizer.step()
        masters.write()
        step += 1
        seen += len(indexes)
        losses.append(loss.item())
        if now - reported_at > REPORT_EVERY:
            mean = float(np.mean(losses))
            speed = seen / (now - reported_at)
            moment = time.strftime("%H:%M:%S")
            say(f"{moment} step {step} loss {mean:.4f} rate {rate:.2e} {speed:.1f} examples/s")
            losses.clear()
            reported_at, seen = now, 0
        if now - saved_at > SAVE_EVERY:
            save(latest, weights(), optimizer, step, drawn)
            saved_at = now
    save(latest, weights(), optimizer, step, drawn)
    if stopped:
        say(f"stopped at step {step}; the same command goes on")
        return
    torch.save(weights(), folder / "final.pt")
    say(f"finished at step {step}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=sorted(TASKS))
    parser.add_argument(
        "--until", required=True, metavar="HH:MM", help="when the rate reaches 0 (UTC)"
    )
    parser.add_argument(
        "--from",
        dest="start_from",
        type=Path,
        default=WARM_START,
        help="folder, .pt checkpoint or shipped .onnx file to start from",
    )
    parser.add_argument("--data", type=Path, default=None, help="training rows, for groundedness")
    parser.add_argument(
        "--taught", type=Path, default=None, help="replies judged by teachers, for groundedness"
    )
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument(
        "--hold", type=float, default=0.35, help="share of the time at the full rate"
    )
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument(
        "--dropout",
        type=float,
        default=0.0,
        help="0.1 once the examples have been seen several times; before, it only slows learning",
    )
    parser.add_argument(
        "--bfloat16", action="store_true", help="faster on processors with AVX512-BF16 or AMX"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    rows = (options.data, options.taught) if options.taught else (options.data,)
    train(
        TASKS[options.task](*rows),
        folder=options.folder or CHECKPOINTS / options.task,
        start_from=options.start_from,
        peak=options.rate,
        end=clock(options.until),
        hold=options.hold,
        seed=options.seed,
        batch_size=options.batch,
        dropout=options.dropout,
        bfloat16=options.bfloat16,
    )


if __name__ == "__main__":
    main()
