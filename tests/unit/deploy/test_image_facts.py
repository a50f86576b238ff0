"""What an image is: told by whoever asked it, else by a short table; anything else is unknown."""

import pytest

from sparktune.deploy.image_facts import image_facts, version_of_image
from sparktune.model.lint import LintView


def _told(**facts: object) -> LintView:
    return LintView(documents=(), parts=(), tools={"images": {"x/y:1": facts}})


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("vllm/vllm-openai:v0.25.1", (0, 25)),
        ("docker.io/vllm/vllm-openai:v0.33.0-aarch64@sha256:01", (0, 33)),
        ("ghcr.io/anemll/dspark-vllm-gx10:0.1.1", (0, 25)),
        ("vllm/vllm-openai:latest", None),
        ("vllm/vllm-openai", None),
        ("example/vllm:0.25.1", None),
        ("", None),
    ],
)
def test_the_version_of_an_image(image: str, version: tuple[int, int] | None) -> None:
    assert version_of_image(image) == version


@pytest.mark.parametrize(
    ("dirs", "folder", "closed"),
    [
        ({"/cache": {"owner": "root:root", "mode": "0755"}}, "/cache/jit", "/cache"),
        ({"/cache": {"owner": "0:0", "mode": "755"}}, "/cache", "/cache"),
        ({"/cache": {"owner": "root:root", "mode": "1777"}}, "/cache/jit", ""),
        ({"/cache": {"owner": "user:user", "mode": "0755"}}, "/cache/jit", ""),
        (
            {"/cache": {"owner": "root:root", "mode": "0755"}, "/cache/jit": {"owner": "u:u", "mode": "0755"}},
            "/cache/jit/t",
            "",
        ),
        ({"/cache": {"owner": "root:root", "mode": "0755"}}, "/cache2", ""),
        ({}, "/cache", ""),
    ],
)
def test_folders_that_only_root_writes(dirs: object, folder: str, closed: str) -> None:
    assert image_facts(_told(dirs=dirs), "x/y:1").closed_to_users(folder) == closed


def test_what_nobody_told_is_unknown() -> None:
    nothing = LintView(documents=(), parts=())

    assert image_facts(nothing, "x/y:1").env == {}
    assert image_facts(_told(env={"A": 1}), "other").env == {}
    assert (
        image_facts(_told(env="no mapping", dirs=3, has_flashinfer_cubin_package="yes"), "x/y:1").has_cubin_package
        is None
    )
    assert (
        image_facts(nothing, "aidendle94/sparkrun-vllm-ds4-gb10:3@sha256:0").env["GLOO_SOCKET_IFNAME"] == "enp1s0f1np1"
    )
