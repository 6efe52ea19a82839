from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from itertools import combinations, islice
from typing import Any

import pytest
from training import made_support, support_personas
from training.made_support import support_pairs
from training.support_facts import (
    FAMILIES,
    OPPOSITES,
    TITLES,
    UNSAID,
    Listed,
    Related,
    Ruled,
    Valued,
)
from training.support_values import SupportValue, differ, forms, spelled
from training.support_words import Names

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pairs() -> list[dict[str, Any]]:
    return list(support_pairs(1, 25000))


def plain(text: str) -> str:
    text = re.sub(r"\s+([.,!?;:])", r"\1", text.lower().replace("can't", "cannot"))
    text = text.replace("n't", " not").replace("it's", "it is").replace("there's", "there is")
    return text.replace("you'll", "you will").replace("you're", "you are")


def amounts(kind: str) -> dict[str, Any]:
    """What each notation of the kind stands for."""
    by_form: dict[str, Any] = {}
    for family in FAMILIES:
        if isinstance(family, Valued) and family.kind == kind and not isinstance(family.pool, str):
            for amount in family.pool:
                by_form |= dict.fromkeys(map(str.lower, forms(SupportValue(kind, amount))), amount)
    return by_form


def either(words: Any) -> str:
    return "(?:" + "|".join(re.escape(w) for w in sorted(words, key=len, reverse=True)) + ")"


def test_pairs_follow_from_the_seed_alone(pairs: list[dict[str, Any]]) -> None:
    assert list(islice(support_pairs(1, 10**9), 60)) == pairs[:60]
    assert list(support_pairs(2, 60)) != pairs[:60]
    assert len(list(support_pairs(3, 7))) == 7


def test_labels_are_shared_out_as_wanted(pairs: list[dict[str, Any]]) -> None:
    shares = Counter(row["label"] for row in pairs)
    neither = shares["neutral"] + shares["not_entailment"]
    assert shares["entailment"] / len(pairs) == pytest.approx(0.45, abs=0.03)
    assert shares["contradiction"] / len(pairs) == pytest.approx(0.35, abs=0.03)
    assert neither / len(pairs) == pytest.approx(0.2, abs=0.03)
    assert 0.02 < shares["not_entailment"] / len(pairs) < 0.1
    assert all(set(row) == {"premise", "hypothesis", "label", "source"} for row in pairs)
    assert {row["source"] for row in pairs} == {"made_support"}


def test_there_is_little_repetition(pairs: list[dict[str, Any]]) -> None:
    assert len({(row["premise"], row["hypothesis"]) for row in pairs}) > 0.99 * len(pairs)
    assert len({row["hypothesis"] for row in pairs}) > 0.9 * len(pairs)


def test_no_pair_has_two_labels(pairs: list[dict[str, Any]]) -> None:
    labels = defaultdict(set)
    for row in pairs:
        labels[plain(row["premise"]), plain(row["hypothesis"])].add(row["label"])
    assert all(len(pair_labels) == 1 for pair_labels in labels.values())


def test_every_slot_is_filled_and_sentences_end(pairs: list[dict[str, Any]]) -> None:
    for row in pairs:
        for text in (row["premise"], row["hypothesis"]):
            assert not re.search(r"[\[\]{}|@]|\.\.|  ", text), text
            assert text[-1] in ".!?", text
    assert not any(re.search(r"\ba [aeio]", row["premise"]) for row in pairs)


def test_some_pairs_are_in_small_letters_with_spaced_signs(pairs: list[dict[str, Any]]) -> None:
    low = [row for row in pairs if row["premise"] == row["premise"].lower()]
    assert 0.08 < len(low) / len(pairs) < 0.25
    assert all(row["hypothesis"] == row["hypothesis"].lower() for row in low)
    assert all(row["premise"].endswith((" .", " ?", " !")) for row in low)


def test_a_document_has_one_to_eight_facts_each_told_once() -> None:
    for seed in range(600):
        _, document = made_support._document(random.Random(seed))
        assert 1 <= len(document.facts) <= 8
        keys = [(id(fact.family), fact.key) for fact in document.facts]
        assert len(set(keys)) == len(keys), "nothing is told twice"
        premise = made_support._premise("shop", document, random.Random(seed))
        assert all(fact.sentence.split(" ")[-1].rstrip(".") in premise for fact in document.facts)


def test_what_is_asked_for_stands_anywhere_in_the_document(pairs: list[dict[str, Any]]) -> None:
    places = Counter()
    for row in pairs:
        about = re.search(
            r"the (?:\w+ (?:plan|tier|hall|room|ward|clinic))", plain(row["hypothesis"])
        )
        told = [about[0] in part for part in plain(row["premise"]).split(". ")] if about else []
        if sum(told) == 1 and row["label"] != "neutral":
            places[told.index(True), row["label"]] += 1
    for label in ("entailment", "contradiction"):
        assert min(places[fifth, label] for fifth in range(5)) > 10


def test_things_of_one_kind_never_have_the_same_value() -> None:
    compared = 0
    for seed in range(1500):
        _, document = made_support._document(random.Random(seed))
        for one, other in combinations(document.facts, 2):
            if one.family is other.family and isinstance(one.value, SupportValue):
                compared += 1
                assert differ(one.value, other.value), (one, other)
            if one.family is other.family and isinstance(one.family, Listed):
                assert not set(one.value) & set(other.value)
    assert compared > 500


def test_no_notation_stands_for_two_values() -> None:
    for family in FAMILIES:
        if isinstance(family, Valued) and not isinstance(family.pool, str):
            meant: dict[str, Any] = {}
            for amount in family.pool:
                for form in forms(SupportValue(family.kind, amount)):
                    assert meant.setdefault(form.lower(), amount) == amount, form


@pytest.mark.parametrize(
    ("kind", "amount", "written"),
    [
        ("days", 14, ["14 days", "fourteen days", "two weeks", "2 weeks"]),
        ("days", 7, ["a week", "7 days", "one week"]),
        ("months", 12, ["12 months", "one year", "a year"]),
        ("months", 18, ["18 months", "a year and a half"]),
        ("minutes", 30, ["30 minutes", "half an hour"]),
        ("minutes", 90, ["90 minutes", "an hour and a half", "1.5 hours"]),
        ("money", 20, ["$20", "20 dollars", "twenty dollars", "$20.00"]),
        ("money", 2500, ["$2,500", "$2500", "two thousand five hundred dollars"]),
        ("off", 50, ["50% off", "half off", "50 percent off"]),
        ("count", 2500, ["2,500", "2500", "two and a half thousand"]),
        ("clock", 540, ["9 a.m.", "9 am", "9:00 a.m.", "nine in the morning"]),
        ("clock", 1050, ["5:30 p.m.", "17:30", "half past five in the afternoon"]),
        ("clock", 720, ["noon", "12 p.m."]),
        ("date", (2024, 3, 14), ["14 March 2024", "March 14, 2024", "3/14/2024", "2024-03-14"]),
        ("grams", 1000, ["1 kg", "1,000 g", "1 kilogram"]),
        ("grams", 500, ["500 g", "half a kilo", "0.5 kg"]),
        ("cm", 120, ["120 cm", "1.2 m"]),
        ("ml", 500, ["500 ml", "half a litre"]),
        ("business", (3, 5), ["3 to 5 business days", "3-5 business days"]),
        ("times", 2, ["twice a day", "two times a day"]),
        ("ordinal", 3, ["third", "3rd"]),
    ],
)
def test_a_value_is_written_in_many_ways(kind: str, amount: Any, written: list[str]) -> None:
    assert set(written) <= set(forms(SupportValue(kind, amount)))


def test_dates_that_could_be_read_in_two_ways_are_not_written_with_slashes() -> None:
    assert not any("/" in form for form in forms(SupportValue("date", (2024, 3, 12))))
    assert "the 2nd of May 2024" in forms(SupportValue("date", (2024, 5, 2)))
    assert "May 12th, 2024" in forms(SupportValue("date", (2024, 5, 12)))


def test_numbers_are_spelled() -> None:
    assert [spelled(n) for n in (0, 21, 105, 1200, 20000)] == [
        "zero", "twenty-one", "one hundred and five", "one thousand two hundred", "twenty thousand"
    ]  # fmt: skip


def test_ranges_differ_only_when_they_are_apart() -> None:
    assert differ(SupportValue("business", (1, 2)), SupportValue("business", (3, 5)))
    assert not differ(SupportValue("business", (3, 5)), SupportValue("business", (5, 7)))


# What a document tells and an answer says, as patterns with the thing and its value.
CHECKS = [
    ("money", r"(the \w+ plan) (?:costs|is billed at) V per month",
     r"(the \w+ plan) is V per month|the monthly price of (the \w+ plan) is V"),
    ("business", r"(\w+ shipping)(?: takes|:) V",
     r"if you choose (\w+ shipping), delivery takes V|expect (\w+ shipping) to take V|"
     r"with (\w+ shipping), your order .*in V"),
    ("days", r"(?:period for|returns of) ([\w ]+?)(?: is|:) V from",
     r"the return window for ([\w ]+?) is V|you have V to send back ([\w ]+)|"
     r"you have V to return ([\w ]+)"),
    ("months", r"the warranty period of ([\w ]+?) is V", r"the warranty on ([\w ]+?) lasts V"),
    ("grams", r"(the \w+ \w+ \w+) weighs V", r"(the \w+ \w+ \w+) has a weight of V"),
    ("clock", r"(the [\w ]+?) opens at V every day", r"(the [\w ]+?) opens daily at V"),
    ("ordinal", r"(the [\w ]+?) is located on the V floor", r"(the [\w ]+?) is on the V floor"),
    ("mg", r"the usual adult dose of (\w+) is V", r"one adult dose of (\w+) is V"),
    ("times", r"(\w+) is taken V", r"you should take (\w+) V"),
    ("celsius", r"(the \w+) is baked at V", r"(the \w+) bakes at V"),
    ("storage", r"the storage quota of (the \w+ tier) is V", r"(the \w+ tier) gives you V of"),
    ("percent", r"(a \w+ booking) requires a deposit of V",
     r"(a \w+ booking) needs a deposit of V"),
    ("year", r"(\w+) was founded in V", r"(\w+) was established in V"),
    ("cm", r"the maximum length of (a [\w ]+?) is V", r"the length limit for (a [\w ]+?) is V"),
    ("kilos", r"the weight limit for (an? [\w ]+?) is V", r"(an? [\w ]+?) can weigh up to V"),
]  # fmt: skip
JOINED = re.compile(r"it is not|it would be wrong|incorrect|, and |; |\. also|\. [a-z]+ ")


@pytest.mark.parametrize(("kind", "told", "answered"), CHECKS, ids=[c[0] for c in CHECKS])
def test_what_is_said_of_a_thing_is_right_exactly_when_it_is_entailed(
    kind: str, told: str, answered: str, pairs: list[dict[str, Any]]
) -> None:
    meant = amounts(kind)
    value = f"(?P<v>{either(meant)})(?![\\w-])"
    knows = re.compile(r"\b" + told.replace("V", value))
    says = [re.compile(r"\b" + way.replace("V", value)) for way in answered.split("|")]
    seen = Counter()
    for row in pairs:
        answer = plain(row["hypothesis"])
        if JOINED.search(answer.rstrip(".")):
            continue
        known = {
            m[1].split(" the ")[-1]: meant[m["v"]] for m in knows.finditer(plain(row["premise"]))
        }
        for match in filter(None, (way.search(answer) for way in says)):
            thing = next(group for group in match.groups() if group != match["v"])
            if thing in known:
                same = known[thing] == meant[match["v"]]
                assert row["label"] == ("entailment" if same else "contradiction"), row
                seen[same] += 1
    assert seen[True]
    assert seen[False]


def test_who_bought_whom_is_told_both_ways(pairs: list[dict[str, Any]]) -> None:
    seen = Counter()
    for row in pairs:
        known = set(re.findall(r"(\w+) acquired (\w+)", plain(row["premise"])))
        known |= {
            (a, b) for b, a in re.findall(r"(\w+) was acquired by (\w+)", plain(row["premise"]))
        }
        answer = plain(row["hypothesis"])
        if "it is" in answer or "it would" in answer:
            continue
        matches = re.findall(r"(\w+) (?:bought|took over) (?!from)(\w+)", answer)
        matches += [
            (a, b) for b, a in re.findall(r"(\w+) was (?:taken over|bought) by (\w+)", answer)
        ]
        for buyer, bought in matches:
            if (buyer, bought) in known:
                seen["right"] += 1
            elif bought in {b for _, b in known} or (bought, buyer) in known:
                assert row["label"] == "contradiction", row
                seen["swapped" if (bought, buyer) in known else "other"] += 1
    assert min(seen["right"], seen["swapped"], seen["other"]) > 2


def test_a_rule_is_answered_with_yes_or_no(pairs: list[dict[str, Any]]) -> None:
    seen = Counter()
    for row in pairs:
        match = re.match(
            r"(?:\w+ ?\w*! )?(yes|no), (.*?) may be brought into the venue",
            plain(row["hypothesis"]),
        )
        if match:
            assert match[1] == "yes"
            out = (
                rf"leave {match[2]} outside|{match[2]} (?:have to stay|are not)|"
                rf"(?:not bring|except) {match[2]}"
            )
            told = re.search(out, plain(row["premise"]))
            assert row["label"] == ("contradiction" if told else "entailment"), row
            seen[row["label"]] += 1
    assert seen["contradiction"]
    assert seen["entailment"]


def test_a_limit_changed_to_a_weaker_one_is_not_called_wrong(
    pairs: list[dict[str, Any]],
) -> None:
    ages = {spelled(n): n for n in range(22)} | {str(n): n for n in range(22)}
    seen = 0
    for row in pairs:
        match = re.fullmatch(
            r"nobody under (\w+) can take part in (the [\w' ]+)\.", plain(row["hypothesis"])
        )
        if match and row["label"] == "contradiction":
            known = re.search(
                rf"(?:minimum age for {match[2]} is|in {match[2]} must be at least|"
                rf"{match[2]} is open to persons aged) (\w+)",
                plain(row["premise"]),
            )
            assert known is not None, row
            assert ages[match[1]] > ages[known[1]], row
            seen += 1
    assert seen


def test_an_answer_names_no_company_that_its_document_does_not(
    pairs: list[dict[str, Any]],
) -> None:
    named = 0
    for row in pairs:
        for name in re.findall(r"(\w+) (?:lacks|comes with|does not come with)", row["hypothesis"]):
            if name.istitle() and name != "It":
                assert name in row["premise"], row
                named += 1
    assert named > 5


def test_it_stands_for_one_thing_only(pairs: list[dict[str, Any]]) -> None:
    for row in pairs:
        assert not re.search(
            r"\bit (?:are|have|can send|may send|get|receive)\b", plain(row["hypothesis"])
        )


def test_what_is_partly_open_holds_a_right_part(pairs: list[dict[str, Any]]) -> None:
    part = [row for row in pairs if row["label"] == "not_entailment"]
    joined = [row for row in part if re.search(r" and |[.;] ", row["hypothesis"])]
    assert len(joined) > 0.8 * len(part)


def test_personas_agree_and_disagree_with_their_own_lines(pairs: list[dict[str, Any]]) -> None:
    jobs = either(support_personas.POOLS["jobs"])
    seen = Counter()
    for row in pairs:
        told = re.search(rf"\bi (?:work as|am) ({jobs})|working as ({jobs})", plain(row["premise"]))
        match = re.search(
            rf"\bi (?:earn my living|make my money) as ({jobs})", plain(row["hypothesis"])
        )
        if told and match and row["label"] != "not_entailment":
            same = match[1] in told.groups()
            assert row["label"] == ("entailment" if same else "contradiction"), row
            seen[same] += 1
    assert seen[True]
    assert seen[False]


def test_the_tables_fit_together() -> None:
    wrong = {form for family in FAMILIES for form in getattr(family, "wrong", ())}
    assert set(OPPOSITES) <= wrong
    assert {family.theme for family in FAMILIES} == set(UNSAID) == set(TITLES)
    assert len(FAMILIES) > 60
    for family in FAMILIES:
        if isinstance(family, Valued):
            assert all("{v}" in form for form in family.doc + family.bot + family.floor), family
            assert bool(family.less) == bool(family.more)
            assert bool(family.below) == bool(family.above)
            # Bots say it in other words than documents.
            assert len(set(family.bot) - set(family.doc)) >= 2
        if isinstance(family, Ruled):
            assert not set(family.yes) & set(family.no)
        if isinstance(family, Related):
            assert all({"{a}", "{b}"} <= set(re.findall(r"\{\w\}", form)) for form in family.bot)
        keys = getattr(family, "keys", "")
        if not isinstance(keys, str):
            assert len(set(keys)) == len(keys)


def test_names_of_one_document_share_no_word() -> None:
    names = Names(random.Random(1))
    people = [names.draw("@person") for _ in range(12)]
    parts = [part for person in people for part in person.split()]
    assert len(set(parts)) == len(parts)


def test_nobody_else_wins_the_one_final(pairs: list[dict[str, Any]]) -> None:
    for row in pairs:
        if row["label"] == "neutral" and re.search(r"\bfinal\b", row["hypothesis"]):
            assert not re.search(r"\bfinal\b", row["premise"]), row
