"""The files under examples/cluster fit their schemas, their commands exist, the image builds."""

from __future__ import annotations

import copy
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import REPOSITORY

from staytrue.backends.embedded import LARGE_PACKAGE
from staytrue.cli.interrogate import command as interrogate
from staytrue.cli.score import command as score
from staytrue.plugins.registry import load_backend

FOLDER = REPOSITORY / "examples" / "cluster"
_TEXT, _NUMBER = {"type": "string", "minLength": 1}, {"type": "integer", "minimum": 0}


def _object(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    """An object with these fields and no others: others would be misspelt."""
    return {
        "type": "object",
        "required": list(required),
        "additionalProperties": False,
        "properties": {**required, **optional},
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": 1}


# As Kubernetes writes them: a name as in a DNS label, amounts such as "2", "500m" and 4Gi.
_NAME = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63}
_IMAGE = {"type": "string", "pattern": r"^[\w./-]+(:\d+/[\w./-]+)?:[\w.-]+$"}
_PORT = {"type": "integer", "minimum": 1, "maximum": 65535}
_AMOUNTS = _object(
    {
        "cpu": {"type": "string", "pattern": r"^\d+(\.\d+|m)?$"},
        "memory": {"type": "string", "pattern": r"^\d+(Ki|Mi|Gi|Ti)$"},
    }
)
_CONTAINER = _object(
    {
        "name": _NAME,
        "image": _IMAGE,
        "resources": _object({"requests": _AMOUNTS, "limits": _AMOUNTS}),
        "volumeMounts": _list(
            _object({"name": _NAME, "mountPath": {"type": "string", "pattern": "^/"}})
        ),
    },
    command=_list(_TEXT),
    args=_list(_TEXT),
    ports=_list(_object({"containerPort": _PORT}, name={**_NAME, "maxLength": 15})),
)
_VOLUME = _object({"name": _NAME, "persistentVolumeClaim": _object({"claimName": _NAME})})
_TEMPLATE = _object({"spec": _object({"containers": _list(_CONTAINER), "volumes": _list(_VOLUME)})})
_START = {"type": "object", "additionalProperties": _TEXT}
# The fields of KubeRay's RayJob, ray.io/v1, and of its pods that the example uses, by their names
# and types. The official definition (CRD) is 1 MB on a server that tests cannot reach, so this is
# written by hand.
RAY_JOB = {
    "type": "object",
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "additionalProperties": False,
    "properties": {
        "apiVersion": {"const": "ray.io/v1"},
        "kind": {"const": "RayJob"},
        "metadata": {"type": "object", "required": ["name"]},
        "spec": {
            "type": "object",
            "required": ["entrypoint", "rayClusterSpec"],
            "additionalProperties": False,
            "properties": {
                "entrypoint": _TEXT,
                "shutdownAfterJobFinishes": {"type": "boolean"},
                "ttlSecondsAfterFinished": _NUMBER,
                "backoffLimit": _NUMBER,
                "rayClusterSpec": {
                    "type": "object",
                    "required": ["headGroupSpec"],
                    "additionalProperties": False,
                    "properties": {
                        "enableInTreeAutoscaling": {"type": "boolean"},
                        "headGroupSpec": {
                            "type": "object",
                            "required": ["rayStartParams", "template"],
                            "additionalProperties": False,
                            "properties": {"rayStartParams": _START, "template": _TEMPLATE},
                        },
                        "workerGroupSpecs": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "required": ["groupName", "rayStartParams", "template"],
                                "additionalProperties": False,
                                "properties": {
                                    "groupName": _TEXT,
                                    "replicas": _NUMBER,
                                    "minReplicas": _NUMBER,
                                    "maxReplicas": _NUMBER,
                                    "rayStartParams": _START,
                                    "template": _TEMPLATE,
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}


def loaded(name: str) -> Any:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((FOLDER / name).read_text("utf-8"))


def test_the_ray_cluster_fits_rays_own_schema() -> None:
    ray = pytest.importorskip("ray")
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((Path(ray.__file__).parent / "autoscaler/ray-schema.json").read_text())
    cluster = loaded("cluster.yaml")
    jsonschema.validate(cluster, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**cluster, "head_node_typ": "head"}, schema)
    assert cluster["head_node_type"] in cluster["available_node_types"]


def test_the_kubernetes_job_fits_the_schema_of_its_kind() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    job = loaded("rayjob.yaml")
    jsonschema.validate(job, RAY_JOB)
    for group in job["spec"]["rayClusterSpec"]["workerGroupSpecs"]:
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
    job["spec"]["entrypoit"] = job["spec"].pop("entrypoint")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(job, RAY_JOB)


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("containers", 0, "image"), None),
        (("containers", 0, "image"), "image without a tag"),
        (("containers", 0, "command"), "ray start"),
        (("containers", 0, "resources", "limits", "memory"), 4),
        (("containers", 0, "resources", "limits", "cpu"), "two"),
        (("containers", 0, "resources", "request"), {"cpu": "1", "memory": "1Gi"}),
        (("containers", 0, "volumeMounts", 0, "mountPath"), "shared"),
        (("containers", 0, "volumeMounts", 0, "path"), "/shared"),
        (("volumes", 0, "persistentVolumeClaim", "claimName"), None),
        (("containers",), []),
    ],
)
def test_a_wrong_field_of_a_pod_is_found(path: tuple[str | int, ...], wrong: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    job = loaded("rayjob.yaml")
    for group in ("headGroupSpec", "workerGroupSpecs"):
        changed = copy.deepcopy(job)
        at = changed["spec"]["rayClusterSpec"][group]
        at = (at[0] if isinstance(at, list) else at)["template"]["spec"]
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = wrong
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(changed, RAY_JOB)


def test_the_pods_of_a_job_mount_the_volume_that_the_run_is_written_to() -> None:
    spec = loaded("rayjob.yaml")["spec"]
    assert "--out /shared/" in spec["entrypoint"]
    cluster = spec["rayClusterSpec"]
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        pod = group["template"]["spec"]
        volumes = {volume["name"] for volume in pod["volumes"]}
        for container in pod["containers"]:
            assert [m["mountPath"] for m in container["volumeMounts"]] == ["/shared"]
            assert {m["name"] for m in container["volumeMounts"]} <= volumes


@pytest.mark.parametrize("name", ["cluster.yaml", "rayjob.yaml"])
def test_the_commands_have_only_options_that_exist(name: str, tmp_path: Path) -> None:
    text = (FOLDER / name).read_text("utf-8")
    commands = re.findall(r"staytrue ((?:score|interrogate) [^'\n]+)", text)
    assert {line.split()[0] for line in commands} == {"score", "interrogate"}
    for line in commands:
        name, *arguments = shlex.split(line)
        command = score if name == "score" else interrogate
        context = command.make_context(name, arguments)
        assert context.params["engine"] == "ray"
        if backend := context.params["backend"]:
            assert load_backend(backend, cache=str(tmp_path)).models()


def steps(dockerfile: Path) -> list[tuple[str, str]]:
    text = re.sub(r"\s*\\\n\s*", " ", dockerfile.read_text("utf-8"))
    lines = [line for line in text.splitlines() if line]
    return [tuple(line.split(" ", 1)) for line in lines if line[0] != "#"]  # type: ignore[misc]


def test_the_image_has_the_large_models_where_their_files_are() -> None:
    written = steps(FOLDER / "Dockerfile")
    package = f"packages/{LARGE_PACKAGE}"
    (number,) = (n for n, (word, rest) in enumerate(written) if word == "RUN" and package in rest)
    assert ("COPY", f"{package} {package}") in written[:number]
    condition, install = re.fullmatch(
        r"if \[ -f (\S+) \]; then (.*); fi", written[number][1]
    ).groups()  # type: ignore[union-attr]
    assert condition.startswith(f"{package}/src/")
    assert condition.endswith("/models/models.json")
    assert (REPOSITORY / condition).parent.parent.is_dir()
    assert install == f"pip install --no-cache-dir ./{package}"


@pytest.mark.bridge
@pytest.mark.slow
def test_the_steps_of_the_image_run_in_an_empty_folder(tmp_path: Path) -> None:
    """Copying and installing as the image does, in a fresh environment instead of a container."""
    if not os.environ.get("STAYTRUE_BRIDGES"):
        pytest.skip("installs Ray from a network: set STAYTRUE_BRIDGES to a folder")
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    variables = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    # What pip has downloaded before is as good, and nobody runs it often enough to compile it.
    variables["PIP_NO_COMPILE"] = "1"
    variables["PATH"] = os.pathsep.join([str(environment / "bin"), variables["PATH"]])
    reach = [str(environment / "bin" / "pip"), "download", "-q", "--no-deps", "-d", str(tmp_path)]
    if subprocess.run([*reach, "setuptools>=77"], capture_output=True).returncode:
        pytest.skip("no package index can be reached")
    work = tmp_path
    for word, rest in steps(FOLDER / "Dockerfile"):
        if word == "WORKDIR":
            work = tmp_path / "image" / rest.lstrip("/")
            work.mkdir(parents=True)
        elif word == "COPY":
            *sources, target = shlex.split(rest)
            for source in sources:
                path = REPOSITORY / source
                if path.is_dir():
                    shutil.copytree(path, work / target)
                else:
                    shutil.copy(path, work / target)
        elif word == "RUN":
            result = subprocess.run(
                rest.replace("--no-cache-dir ", ""),
                shell=True,
                cwd=work,
                env=variables,
                capture_output=True,
                text=True,
            )
            assert result.returncode == 0, f"{rest}\n{result.stderr[-2000:]}"
        elif word == "ENV":
            name, _, value = rest.partition("=")
            variables[name] = value
        else:
            assert word == "FROM", word
    output = subprocess.check_output(
        [str(environment / "bin" / "python"), "-c", "import ray.data, staytrue; print(staytrue)"],
        cwd=tmp_path, env=variables, text=True,
    )  # fmt: skip
    assert str(environment) in output
