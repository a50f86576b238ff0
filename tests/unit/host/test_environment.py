"""An environment is where secrets are: only what is known to hold none is kept."""

from sparktune.host.environment import kept_environment


def test_only_known_variables_are_kept() -> None:
    environment = {"NCCL_IB_HCA": "rocep1s0f0", "HF_TOKEN": "x", "PATH": "/bin", "UCX_TLS": "rc", "HOME": "/root"}

    assert kept_environment(environment) == {"NCCL_IB_HCA": "rocep1s0f0", "UCX_TLS": "rc"}


def test_a_secret_in_a_known_variable_is_hidden() -> None:
    assert kept_environment({"NCCL_X": "https://me:pw@host"}) == {"NCCL_X": "https://***@host"}
