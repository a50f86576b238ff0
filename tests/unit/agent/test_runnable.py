"""What a node agrees to start and stop: nobody who asks can make it run anything else, or lose a volume."""

import pytest

from sparktune.agent.runnable import form_of, refused_variable


@pytest.mark.parametrize(
    "line",
    [
        "docker compose up -d",
        "docker compose -f a.yaml --env-file=.env -p two up -d --no-deps --force-recreate serve",
        "docker compose -f compose up",
        "docker compose -f a.yaml stop -t 30 serve",
        "docker compose down --timeout=30",
        "docker kill -s KILL 0123456789ab",
        "docker rm -f 0123456789ab",
        "systemctl start --no-block serve.service",
        "systemctl kill --signal=SIGKILL --kill-whom=all serve.service",
        "systemctl daemon-reload",
        "systemctl reboot",
        "sparkrun run a.yaml --cluster two -o max_num_seqs=8 -e A=B --executor-args --cpuset-cpus=5-9",
        "sparkrun stop sparkrun_0123456789abcdef_0123456789ab --cluster two",
        "sparkrun cluster check-job ID --cluster two --json",
    ],
)
def test_services_are_started_and_stopped(line: str) -> None:
    assert form_of(line.split()) is not None


@pytest.mark.parametrize(
    "line",
    [
        "",
        "sh -c true",
        "/usr/bin/docker stop one",
        "docker run ubuntu",
        "docker exec one sh",
        "docker -H tcp://elsewhere stop one",
        "docker compose",
        "docker compose -f",
        "docker compose -f up exec serve sh",
        "docker compose exec serve sh",
        "docker compose run serve",
        "docker compose down -v",
        "docker compose down --volumes",
        "docker compose down --rmi=all",
        "docker compose up --remove-orphans",
        "docker compose up -dV",
        "docker rm -fv one",
        "docker system prune",
        "systemctl edit serve.service",
        "systemctl enable serve.service",
        "systemctl -H elsewhere stop serve.service",
        "systemctl stop -H elsewhere serve.service",
        "systemctl reboot --force",
        "sparkrun stop --all",
        "sparkrun setup uninstall",
        "sparkrun cluster delete two",
    ],
)
def test_nothing_else_is(line: str) -> None:
    assert form_of(line.split(" ")) is None


def test_an_empty_word_is_no_command() -> None:
    assert form_of(["docker", "stop", ""]) is None


def test_only_killing_waits_for_nobody() -> None:
    """A start that hangs must not keep the host from being saved."""
    killing, starting = form_of(["docker", "kill", "one"]), form_of(["docker", "start", "one"])
    assert killing is not None
    assert starting is not None
    assert killing.at_once
    assert not starting.at_once


def test_who_runs_it() -> None:
    """Sparkrun has its clusters in the user's home folder, systemd asks for root."""
    lines = ("sparkrun status", "systemctl stop serve.service", "docker stop one")
    forms = [form_of(line.split()) for line in lines]
    assert [form.who for form in forms if form] == ["user", "root", "either"]


@pytest.mark.parametrize(
    "name", ["LD_PRELOAD", "PYTHONPATH", "PATH", "BASH_ENV", "HOME", "SUDO_ASKPASS", "", "A B", "A="]
)
def test_a_variable_cannot_make_it_another_program(name: str) -> None:
    assert refused_variable(["MODEL", name]) == name


def test_a_variable_of_a_service_is_given() -> None:
    assert refused_variable(["HF_HUB_OFFLINE", "SPARKRUN_NO_TELEMETRY", "COMPOSE_PROJECT_NAME", "model"]) == ""
