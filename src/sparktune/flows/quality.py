"""Ask one server the battery and the canary, the canary more than once, and score what it answers."""

__all__ = ["QualityOrder", "quality_of_server"]

from collections.abc import Callable
from dataclasses import dataclass, replace

from sparktune.bench.quality.score import QualityScore, scored
from sparktune.io.http.models import choose_model
from sparktune.io.http.server import Server
from sparktune.io.quality import ask_quality
from sparktune.io.secrets import Secret
from sparktune.model.options import SendOptions
from sparktune.model.quality import QualityPlan
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityOrder:
    """Whom to ask what. ``options.model`` "" means the only model that is served; ``repeats`` are of the canary."""

    base_url: str
    options: SendOptions
    plan: QualityPlan
    repeats: int = 2
    secret: Secret | None = None
    wait_s: Seconds = 0.0


async def quality_of_server(order: QualityOrder, say: Callable[[str], None]) -> QualityScore:
    """Return the score. Raises an EndpointError when the server cannot be asked, UsageError for an unknown model."""
    async with Server(order.base_url, order.secret, reuse=False) as server:
        engine, facts = await server.wait_ready(limit_s=order.wait_s)
        options = replace(order.options, model=choose_model(facts, order.options.model or None))
        say(f"{options.model} on {facts.name} {facts.version or '(version unknown)'}")
        asked = [await ask_quality(server, engine, options, order.plan, say)]
        again = replace(order.plan, tools=False)
        while order.plan.canary and len(asked) < order.repeats:
            asked.append(await ask_quality(server, engine, options, again, say))
        return scored(asked, base_url=server.base_url, model=options.model, engine=facts)
