"""The questions of the tool-call battery, as data. Each has one right answer; about half are asked for as a stream."""

__all__ = ["BATTERY"]

from typing import Any, Final

from sparktune.bench.quality.item import ToolItem, Wanted

_HOME: Final = ("get_weather", "get_time", "set_timer", "set_light", "send_message")
_FILES: Final = ("read_file", "write_file", "delete_file", "find_files")
_HOST: Final = ("list_containers", "restart_container")
_ENTRIES: Final = (
    "flour", "sugar", "eggs", "butter", "salt", "yeast", "milk", "honey", "walnuts", "raisins", "lemons", "cinnamon",
)  # fmt: skip


def _wanted(function: str, /, **arguments: Any) -> Wanted:  # noqa: ANN401 - one accepted value, or a tuple of some
    return Wanted(
        name=function,
        arguments={
            path.replace("__", "."): value if isinstance(value, tuple) else (value,)
            for path, value in arguments.items()
        },
    )


def _called(name: str, arguments: str, result: str) -> tuple[dict[str, Any], ...]:
    """Return a call and its result, as messages."""
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return (
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": result},
    )


BATTERY: Final[tuple[ToolItem, ...]] = (
    ToolItem(
        id="one-function",
        tests="a call at all",
        tools=("get_weather",),
        ask="What is the weather in Oslo now?",
        wanted=(_wanted("get_weather", city=("Oslo", "Oslo, Norway")),),
    ),
    ToolItem(
        id="one-function-stream",
        tests="the same put together from a stream",
        tools=("get_weather",),
        ask="How is the weather in Nairobi at the moment?",
        wanted=(_wanted("get_weather", city=("Nairobi", "Nairobi, Kenya")),),
        stream=True,
    ),
    ToolItem(
        id="required",
        tests="a call where the request requires one",
        tools=("get_weather", "get_time"),
        ask="Is it warm in Rome?",
        wanted=(_wanted("get_weather", city=("Rome", "Rome, Italy")),),
        choice="required",
    ),
    ToolItem(
        id="no-arguments",
        tests="a function without arguments",
        tools=_HOME,
        ask="What time is it right now?",
        wanted=(_wanted("get_time"),),
        stream=True,
    ),
    ToolItem(
        id="right-of-four",
        tests="the right one of functions that are alike",
        tools=_FILES,
        ask="Please delete the file /srv/logs/old.log.",
        wanted=(_wanted("delete_file", path="/srv/logs/old.log"),),
    ),
    ToolItem(
        id="right-of-eleven",
        tests="the right one of many functions",
        tools=(*_HOME, *_FILES, *_HOST),
        ask="Restart the container named proxy.",
        wanted=(_wanted("restart_container", name="proxy"),),
        stream=True,
    ),
    ToolItem(
        id="enum",
        tests="a value of an enumeration that is not the usual one",
        tools=("get_weather", "get_time"),
        ask="Tell me the weather in Cairo, in degrees Fahrenheit.",
        wanted=(_wanted("get_weather", city=("Cairo", "Cairo, Egypt"), unit="fahrenheit"),),
    ),
    ToolItem(
        id="enum-required",
        tests="a required value of an enumeration",
        tools=_HOST,
        ask="List only the containers that are stopped.",
        wanted=(_wanted("list_containers", state="stopped"),),
        stream=True,
    ),
    ToolItem(
        id="integer",
        tests="a number as a number, not as a text",
        tools=_HOME,
        ask="Start a timer for 25 minutes.",
        wanted=(_wanted("set_timer", minutes=25),),
    ),
    ToolItem(
        id="number",
        tests="a fraction, and two enumerations that must not be mixed up",
        tools=("convert_currency", "get_time"),
        ask="How much are 12.5 euros in Japanese yen? Use the conversion function.",
        wanted=(_wanted("convert_currency", amount=12.5, source="EUR", target="JPY"),),
        stream=True,
    ),
    ToolItem(
        id="boolean-false",
        tests="a boolean that is false",
        tools=_HOME,
        ask="Switch off the light in the kitchen.",
        wanted=(_wanted("set_light", room="kitchen", on=False),),
    ),
    ToolItem(
        id="boolean-optional",
        tests="an optional argument that the question asks for",
        tools=_HOME,
        ask="Send Ada this text, and mark it as urgent: The backup failed.",
        wanted=(_wanted("send_message", to="Ada", text=("The backup failed.", "The backup failed"), urgent=True),),
        stream=True,
    ),
    ToolItem(
        id="three-arguments",
        tests="a text, a boolean and a number in one call",
        tools=_HOME,
        ask="Turn the lamp in the study on, at 40 percent brightness.",
        wanted=(_wanted("set_light", room="study", on=True, brightness=40),),
    ),
    ToolItem(
        id="optional-number",
        tests="an optional number beside a path",
        tools=_FILES,
        ask="Show me the first 20 lines of /etc/fstab.",
        wanted=(_wanted("read_file", path="/etc/fstab", max_lines=20),),
        stream=True,
    ),
    ToolItem(
        id="array",
        tests="a list of enumerated values",
        tools=_FILES,
        ask="Find all images and videos below /srv/media, in one search.",
        wanted=(_wanted("find_files", folder="/srv/media", kinds=(["image", "video"], ["video", "image"])),),
    ),
    ToolItem(
        id="nested",
        tests="an object inside the arguments",
        tools=("create_event", "get_time"),
        ask="Put an event called Review into my calendar: 2027-03-04 at 09:30.",
        wanted=(_wanted("create_event", title="Review", start__date="2027-03-04", start__time="09:30"),),
        stream=True,
    ),
    ToolItem(
        id="nested-list",
        tests="a list of objects",
        tools=("create_event", "send_message"),
        ask=(
            "Create the event Standup on 2027-05-10 at 08:15 with two guests: Ines (ines@example.org) and "
            "Tom (tom@example.org)."
        ),
        wanted=(
            _wanted(
                "create_event",
                title="Standup",
                start__date="2027-05-10",
                start__time="08:15",
                guests__0__email=("ines@example.org", "tom@example.org"),
                guests__1__email=("tom@example.org", "ines@example.org"),
            ),
        ),
    ),
    ToolItem(
        id="verbatim",
        tests="quotes, a backslash and letters beyond ASCII that come through unchanged",
        tools=_FILES,
        ask='Write exactly this one line to /srv/note.txt: Zoë said "naïve" of C:\\new',
        wanted=(_wanted("write_file", path="/srv/note.txt", text='Zoë said "naïve" of C:\\new'),),
        stream=True,
    ),
    ToolItem(
        id="long",
        tests="long arguments that are not cut off",
        tools=("save_list", "get_time"),
        ask=f"Save a list named baking with these entries, in this order: {', '.join(_ENTRIES)}.",
        wanted=(_wanted("save_list", name="baking", entries=(list(_ENTRIES),)),),
        stream=True,
    ),
    ToolItem(
        id="parallel-same",
        tests="two calls of one function in one answer",
        tools=_HOME,
        ask="Compare the weather in Lima and in Quito. Ask for both at once.",
        wanted=(
            _wanted("get_weather", city=("Lima", "Lima, Peru")),
            _wanted("get_weather", city=("Quito", "Quito, Ecuador")),
        ),
    ),
    ToolItem(
        id="parallel-stream",
        tests="calls of two functions in one streamed answer",
        tools=_HOME,
        ask="Do both at once: start a timer for 10 minutes, and switch on the light in the hall.",
        wanted=(_wanted("set_timer", minutes=10), _wanted("set_light", room=("hall", "the hall"), on=True)),
        stream=True,
    ),
    ToolItem(
        id="next-call",
        tests="a call that needs the result of the one before",
        tools=_HOST,
        ask="Find out which container has failed, and restart that one.",
        earlier=_called("list_containers", '{"state": "failed"}', '[{"name": "queue-2", "exit_code": 137}]'),
        wanted=(_wanted("restart_container", name="queue-2"),),
    ),
    ToolItem(
        id="answer-from-result",
        tests="an answer from a call's result, without a further call",
        tools=("get_weather",),
        ask="How many degrees is it in Bergen?",
        earlier=_called("get_weather", '{"city": "Bergen"}', '{"temperature": 17, "unit": "celsius"}'),
        says=("17", "seventeen"),
        stream=True,
    ),
    ToolItem(
        id="no-call-thanks",
        tests="no call where nothing is asked",
        tools=_HOME,
        ask="Thank you, that was all for today.",
    ),
    ToolItem(
        id="no-call-word",
        tests="no call where none is needed",
        tools=_FILES,
        ask="Without using any function, answer with one word: what colour is a ripe lemon?",
        says=("yellow",),
        stream=True,
    ),
    ToolItem(
        id="no-call-unfit",
        tests="no call where no function fits",
        tools=_HOST,
        ask="In one sentence: why do leaves fall in autumn?",
        says=("leaves", "tree", "leaf"),
    ),
)
