"""Run in an environment with Label Studio's SDK: see test_bridges.py."""

from label_studio_sdk.label_interface import LabelInterface

from staytrue.annotation.judgements import QUESTION, AnnotatorJudgement
from staytrue.annotation.label_studio import INTERFACE, judgements, tasks
from staytrue.core.records import Example

(TASK,) = tasks([Example("a", "At nine.", "We open at 9.")], b"key")


def test_the_labelling_interface_is_valid_and_fits_the_tasks():
    interface = LabelInterface(INTERFACE)
    interface.validate()
    assert interface.validate_task(TASK, validate_regions_only=False)


def test_an_annotation_that_it_makes_is_read():
    interface = LabelInterface(INTERFACE)
    region = interface.get_control(QUESTION).label(label="inconsistent")
    made = {"completed_by": 1, "result": [region._dict()]}
    assert interface.validate_annotation(made)
    expected = AnnotatorJudgement(TASK["data"]["item"], "1", False)
    assert list(judgements({**TASK, "annotations": [made]})) == [expected]
