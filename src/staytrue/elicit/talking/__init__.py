"""The one engine that talks to chatbots: concurrency, retries, budget, usage, resume, progress."""

from staytrue.elicit.talking.budget import Budget, BudgetSpent, Limits, Need
from staytrue.elicit.talking.crew import Crew
from staytrue.elicit.talking.engine import Listener, Progress, Talking
from staytrue.elicit.talking.estimate import Estimate, Range
from staytrue.elicit.talking.sitting import Sitting, sit

__all__ = [
    "Budget",
    "BudgetSpent",
    "Crew",
    "Estimate",
    "Limits",
    "Listener",
    "Need",
    "Progress",
    "Range",
    "Sitting",
    "Talking",
    "sit",
]
