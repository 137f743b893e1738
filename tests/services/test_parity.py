"""Each action is done once through the command line and once with keys on the screen: the same bytes, the same history.

Both start from the same temporary home: it is kept aside, one side acts, what is there then is written down, and the
home is put back for the other side.
"""

import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import nullcontext, suppress
from importlib import import_module
from pathlib import Path

import click
import pytest
from msgspec import Struct
from textual.css.query import NoMatches
from textual.pilot import Pilot

from memtui.cli import COMMANDS
from memtui.cli.context import CliContext
from memtui.cli.output import Output
from memtui.client.memory_location import locate_memory
from memtui.client.paths import LOCK_NAME
from memtui.demo import build_demo
from memtui.dream.run import spawn
from memtui.dream.run.events import Ended, Phase, follow_events
from memtui.dream.run.run import Emit, run_dream
from memtui.dream.run.runs import events_of, list_runs
from memtui.dream.run.stage import Stage
from memtui.history.versions import FOUND
from memtui.memory.workspace import Workspace
from memtui.tui import preload
from memtui.tui.app import MemtuiApp
from memtui.tui.commands import registry
from memtui.tui.startup.start import StartContext
from memtui.tui.theme import UNICODE
from memtui.tui.views.dream import DreamView
from memtui.tui.views.sessions import SessionsView
from memtui.tui.views.settings import SettingLines
from memtui.util.config import read_config
from tests.cli.conftest import Ran, Run, policy, run
from tests.cli.test_dream import PROGRAM
from tests.services.conftest import TOKEN
from tests.support import REPO, adopt_unasked
from tests.transcripts.rows import Script
from tests.tui.conftest import NOW, write_memory
from tests.tui.driving import press, settle, until

__all__ = ["policy", "run"]

SIZE = (120, 40)
FIRST = "11111111-1111-4111-8111-111111111111"
SECOND = "22222222-2222-4222-8222-222222222222"
MAIN = f"import sys\nsys.path.insert(0, {str(REPO)!r})\nfrom memtui.__main__ import main\nsys.exit(main())"
"""A run's process is of this checkout."""
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Screen:
    """A screen that is driven by keys."""

    def __init__(self, pilot: "Pilot[int]", app: MemtuiApp, home: "Home") -> None:
        self.pilot, self.app, self.home = pilot, app, home

    async def press(self, *keys: str) -> None:
        """Press keys one by one, each when the one before is done with."""
        await press(self.pilot, *keys)

    async def type(self, words: str) -> None:
        """Replace what is in the text field, and press Enter."""
        await press(self.pilot, "ctrl+u", *words, "enter")

    async def file(self, name: str) -> None:
        """Put the cursor on a memory file."""
        self.app.memory_view.go_to(str(self.home.folder / name))
        await settle(self.pilot)

    async def session(self, id: str) -> None:
        """Put the cursor on a session."""
        await press(self.pilot, "3")
        self.app.query_one(SessionsView).list.to_key(str(self.home.sessions / f"{id}.jsonl"))
        await settle(self.pilot)

    async def setting(self, key: str) -> None:
        """Put the cursor on a setting."""
        await press(self.pilot, "5")
        lines = self.app.query_one(SettingLines)
        lines.cursor = next(n for n in range(lines.row_count()) if lines.row_key(n).endswith(key))
        await settle(self.pilot)

    async def until(self, true: Callable[[], object]) -> None:
        """Wait for a fact."""
        await until(self.pilot, true)


class Home:
    """The home on which both sides act, one after the other."""

    def __init__(self, root: Path, shop: Path, run: Run) -> None:
        self.root, self.shop, self.run = root, shop, run
        self.saved = root.parent / "saved"

    @property
    def workspace(self) -> Workspace:
        """The project, read anew."""
        context = CliContext()
        workspace = context.workspace
        workspace.read(full=True)
        return workspace

    @property
    def folder(self) -> Path:
        """The memory folder."""
        return CliContext().location.folder

    @property
    def sessions(self) -> Path:
        """The folder of the project's sessions."""
        return CliContext().location.transcripts

    def save(self) -> None:
        """Keep the home aside as it is now."""
        shutil.copytree(self.root, self.saved, symlinks=True)

    def put_back(self) -> None:
        """Let the home be as it was."""
        os.chdir(self.root.parent)
        shutil.rmtree(self.root)
        shutil.copytree(self.saved, self.root, symlinks=True)
        os.chdir(self.shop)

    def state(self) -> dict[str, object]:
        """All that an action may change, ids and the places of our own bookkeeping left out."""
        workspace = self.workspace
        files: dict[str, object] = {}
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if path.is_file() and not name.startswith((".local/state/memtui/", ".cache/")) and path.name != LOCK_NAME:
                known = (self.saved / name).exists()
                data = path.read_bytes()
                files[name if known else _UUID.sub("<id>", name)] = (
                    data if known else _UUID.sub("<id>", data.decode("utf-8", "replace"))
                )
        history = [
            (
                one.subject, one.kind, one.who, _UUID.sub("<id>", one.why), one.undone, one.undoes is not None,
                [(change.name, change.kind, change.before, change.after) for change in one.files],
                len(one.items),
            )
            for one in workspace.history.operations(None, None) if one.kind != FOUND
        ]  # fmt: skip
        runs = [
            [(type(event).__name__, getattr(event, "what", "")) for event in events_of(one)]
            for one in list_runs(workspace.dirs)
        ]
        return {
            "files": files,
            "history": history,
            "pins": sorted(workspace.pinned),
            "drafts": sorted((draft.path.name, draft.text) for draft in workspace.drafts.list()),
            "archived": sorted(path.name for path in workspace.dirs.sessions.rglob("*.jsonl")),
            "runs": runs,
            "lock": (self.folder / LOCK_NAME).exists(),
        }


OnScreen = Callable[[Screen], Awaitable[None]]


class Action(Struct, frozen=True):
    """One thing that a person does: the words of a command line, and the keys of the screen.

    `before` prepares the home.
    """

    name: str
    command: Callable[[Home], Ran]
    screen: OnScreen
    before: Callable[[Home], object] | None = None


def words(*words: str) -> Callable[[Home], Ran]:
    """A call of the command line; {first}, {second} and {run} are ids."""

    def call(home: Home) -> Ran:
        ids = [one.id for one in list_runs(home.workspace.dirs)]
        return home.run(*(word.format(first=FIRST, second=SECOND, run=ids[0] if ids else "") for word in words))

    return call


def keys(*keys: str, file: str = "", session: str = "") -> OnScreen:
    """Keys on the screen, with the cursor on a file or a session."""

    async def act(screen: Screen) -> None:
        if file:
            await screen.file(file)
        if session:
            await screen.session(session)
        await screen.press(*keys)

    return act


def typed(key: str, text: str, *then: str, file: str = "", session: str = "") -> OnScreen:
    """A key that opens a text field, the text, and further keys."""

    async def act(screen: Screen) -> None:
        await keys(key, file=file, session=session)(screen)
        await screen.type(text)
        await screen.press(*then)

    return act


async def _new(screen: Screen) -> None:
    await screen.press("n")
    screen.app.screen.query_one("#name").value = "release days"  # type: ignore[attr-defined]
    screen.app.screen.query_one("#description").value = "Tuesdays"  # type: ignore[attr-defined]
    await screen.press("ctrl+s")


def chosen(command: str, file: str, *then: str, typed: str = "") -> OnScreen:
    """A command of the palette, with the cursor on a file, text that it asks for, and further keys."""

    async def act(screen: Screen) -> None:
        await screen.file(file)
        await screen.press("colon", *command, "enter")
        if typed:
            await screen.type(typed)
        await screen.press(*then)

    return act


def _agent(home: Home) -> None:
    (home.root / ".claude/agent-memory/rev").mkdir(parents=True)


def _two_stores(home: Home) -> None:
    for number, root in enumerate((home.root / ".claude", home.shop / ".claude")):
        folder = root / "agent-memory/rev"
        folder.mkdir(parents=True)
        for name in ("a", f"b{number}"):
            text = f"---\nname: {name}\ntype: project\n---\n{number}.\n"
            (folder / f"{name}.md").write_text(text, encoding="utf-8")


async def _rebuild(screen: Screen) -> None:
    await screen.press("colon", *"rebuild", "enter")
    await screen.press("y")


async def _split(screen: Screen) -> None:
    await screen.press("colon", *"make sections", "enter")
    await screen.press("y")


def _write(name: str, text: str) -> Callable[[Home], None]:
    def write(home: Home) -> None:
        (home.folder / name).write_text(text, encoding="utf-8")

    return write


def _edited(home: Home) -> None:
    """A write that can be undone, of a file that was seen before."""
    assert home.run("set", "user_role", "description=Short").code == 0


def _undone(home: Home) -> None:
    _edited(home)
    assert home.run("undo").code == 0


def _pinned(home: Home) -> None:
    assert home.run("pin", "user_role").code == 0


def _archived(home: Home) -> None:
    assert home.run("sessions", "archive", FIRST).code == 0


def _moved_project(home: Home) -> None:
    folder = home.sessions.parent / "-gone-shop"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory/user_pet.md").write_text("---\nname: pet\ntype: user\n---\nA cat.\n", encoding="utf-8")
    script = Script().user("u1", None, "feed the cat", cwd="/gone/shop").answer("a1", "u1")
    (folder / "33333333-3333-4333-8333-333333333333.jsonl").write_text("\n".join(script.lines) + "\n", encoding="utf-8")


def _project_moved(home: Home) -> None:
    _moved_project(home)
    assert home.run("projects", "move", "-y", "/gone/shop", home.shop).code == 0


def _shrink(stage: Stage, emit: Emit) -> None:
    """Deletes more than a run may without a person."""
    for name in ("project_oncall.md", "user_role.md", "feedback_pnpm.md"):
        (stage.root / name).unlink()


def _twice(stage: Stage, emit: Emit) -> None:
    """Changes a file in two places."""
    path = stage.root / "user_role.md"
    path.write_text(path.read_text().replace("name: role", "name: roles").replace("Body.", "Another body."))


def _two_hunks(home: Home) -> None:
    _held(home, _twice)


def _held(home: Home, work: Callable[[Stage, Emit], None] = _shrink) -> None:
    workspace = home.workspace
    end = run_dream(
        workspace, workspace.dirs, work, force=True, now=lambda: NOW, backend="test", why="named", adopt="review"
    )
    assert end.how == "held"


def _adopted(home: Home) -> None:
    _held(home)
    assert home.run("dream", "adopt").code == 0


def _contradicts(home: Home) -> None:
    for name, rule in (("a", "Always"), ("b", "Never")):
        text = f"---\nname: {name}\ntype: feedback\n---\n{rule} mock the payment service in unit tests.\n"
        _write(f"feedback_{name}.md", text)(home)


def _stale_lock(home: Home) -> None:
    lock = home.folder / LOCK_NAME
    lock.write_bytes(b"999999999")
    os.utime(lock, (NOW - 600,) * 2)


def _claude_settings(home: Home) -> None:
    (home.root / ".claude/settings.json").write_text('{\n  "model": "x",\n  "autoMemoryEnabled": true\n}\n')


async def _adopt_file(screen: Screen) -> None:
    await screen.press("2", "tab")
    details = screen.app.query_one(DreamView).reader
    details.cursor = next(n for n in range(details.row_count()) if details.row_key(n) == "user_role.md")
    await screen.press("a")


async def _adopt_hunk(screen: Screen) -> None:
    await screen.press("2", "tab")
    details = screen.app.query_one(DreamView).reader
    details.cursor = next(n for n in range(details.row_count()) if details.row_key(n) == "user_role.md")
    await screen.press("enter", "space", "a")


async def _export(screen: Screen) -> None:
    await screen.session(FIRST)
    await screen.press("enter", "5", "enter")
    await screen.type("talk.md")


async def _put_back(screen: Screen) -> None:
    await screen.press("3")
    lines = screen.app.query_one(SessionsView).list
    shown = [lines.row(index, 80).plain for index in range(lines.row_count())]
    lines.cursor = next(number for number, row in enumerate(shown) if "archived" in row)
    await screen.press("a")


def _set_glyphs(home: Home) -> None:
    assert home.run("config", "set", "glyphs", "unicode").code == 0


def _unset_glyphs(home: Home) -> None:
    _set_glyphs(home)
    assert home.run("undo").code == 0


async def _own_setting(screen: Screen) -> None:
    await screen.setting("glyphs")
    await screen.press("space")


def _adopt_unasked(home: Home) -> None:
    adopt_unasked(home.workspace.dirs)


async def _new_dream(screen: Screen) -> None:
    await screen.press("2", "D", "1")
    if not screen.app.workspace.read_only:
        await screen.until(lambda: _ended(screen.home))


def _ended(home: Home) -> bool:
    listed = list_runs(home.workspace.dirs)
    return bool(listed) and any(isinstance(event, Ended) for event in events_of(listed[0]))


def _editor(home: Home, body: str) -> None:
    """Let $EDITOR be a shell script; in it, $file is the file to edit."""
    script = home.root.parent / "editor.sh"
    script.write_text(f"#!/bin/sh\nfor file; do :; done\n{body}\n", encoding="utf-8")
    script.chmod(0o755)
    os.environ["EDITOR"] = str(script)


def _appends(home: Home) -> None:
    _editor(home, 'printf "More.\\n" >> "$file"')


def _inserts(home: Home) -> None:
    _editor(home, "sed -i '6s/^/X/' \"$file\"")


def _comments(home: Home) -> None:
    _editor(home, 'printf "# mine\\n" >> "$file"')


def _instructed(home: Home) -> None:
    _appends(home)
    (home.shop / "CLAUDE.md").write_text("# Shop\n", encoding="utf-8")


async def _instruction(screen: Screen) -> None:
    await screen.file(str(screen.home.shop / "CLAUDE.md"))
    await screen.press("e")


def _client(home: Home) -> None:
    """Let there be a Claude Code that ends at once."""
    folder = home.root.parent / "bin"
    folder.mkdir()
    (folder / "claude").write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    (folder / "claude").chmod(0o755)
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"


async def _in_editor(screen: Screen) -> None:
    await screen.file("feedback_commits.md")
    await screen.press("enter", "X", "ctrl+s", "escape")


ACTIONS = [
    Action("new", words("new", "release days", "--type", "feedback", "--description", "Tuesdays"), _new),
    Action(
        "rename", words("mv", "project_oncall", "project_duty.md"),
        typed("r", "project_duty.md", "y", file="project_oncall.md"),
    ),
    Action("delete", words("rm", "-y", "user_role"), keys("d", "y", file="user_role.md")),
    Action(
        "set type", words("set", "feedback_pnpm", "type=user"),
        keys("t", *"user", "enter", file="feedback_pnpm.md"),
    ),
    Action(
        "set description", words("set", "user_role", "description=New words", "--index"),
        chosen("change the description", "user_role.md", "y", typed="New words"),
    ),
    Action(
        "set expiry", words("set", "user_role", "valid_until=2030-01-01"),
        chosen("set until", "user_role.md", typed="2030-01-01"),
    ),
    Action(
        "merge", words("merge", "-y", "user_role", "feedback_pnpm"),
        chosen("merge another", "user_role.md", *"feedback_pnpm", "enter", "y"),
    ),
    Action(
        "promote", words("promote", "-y", "user_role", "agent:user:rev"),
        chosen("another scope", "user_role.md", "enter", "y"), before=_agent,
    ),
    Action(
        "merge stores", words("stores", "rev", "-y", "--collisions", "both"),
        chosen("several folders", "user_role.md", "enter", "3", "2", "y"), before=_two_stores,
    ),
    Action(
        "move above the cut", words("index", "--up", "user_role"), chosen("above the cut", "user_role.md", "y"),
        before=_write("MEMORY.md", "# Memory\n\n" + "- [x](feedback_commits.md)\n" * 200 + "- [r](user_role.md)\n"),
    ),
    Action("add to index", words("index", "--add", "feedback_pnpm"), keys("a", "y", file="feedback_pnpm.md")),
    Action("fix", words("check", "--fix", "feedback_pnpm"), keys("f", "y", file="feedback_pnpm.md")),
    Action("tidy", words("index", "--tidy", "-y"), keys("T", "y"),
           before=_write("MEMORY.md", "# Memory\n\n" + "- [gone](gone.md) — nowhere\n" * 210)),
    Action("split", words("index", "--split", "-y"), _split,
           before=_write("MEMORY.md", "# Memory\n\n## Notes\n\n" + "A rule of the house.\n" * 210)),
    Action("rebuild", words("index", "--rebuild", "-y"), _rebuild),
    Action("pin", words("pin", "user_role"), keys("P", file="user_role.md")),
    Action("unpin", words("pin", "--off", "user_role"), keys("P", file="user_role.md"), before=_pinned),
    Action("undo", words("undo"), keys("z"), before=_edited),
    Action("redo", words("redo"), keys("Z"), before=_undone),
    Action(
        "restore", lambda home: home.run("restore", f"user_role@{_first_version(home, 'user_role.md')}"),
        keys("u", "down", "enter", "y", file="user_role.md"), before=_edited,
    ),
    Action(
        "restore folder",
        lambda home: home.run("restore", "--before", home.workspace.versions(home.folder / "user_role.md")[0].id),
        keys("colon", *"restore the folder", "enter", "down", "enter", "y"), before=_edited,
    ),
    Action("session rename", words("sessions", "rename", "{first}", "pnpm"), typed("r", "pnpm", session=FIRST)),
    Action("session archive", words("sessions", "archive", "{second}"), keys("a", session=SECOND)),
    Action("session put back", words("sessions", "restore", "{first}"), _put_back, before=_archived),
    Action("session delete", words("sessions", "rm", "-y", "{second}"), keys("d", "y", session=SECOND)),
    Action(
        "session save", lambda home: home.run("sessions", "save", FIRST, "-o", home.shop / "copy.jsonl"),
        typed("s", "copy.jsonl", session=FIRST),
    ),
    Action(
        "session export", lambda home: home.run("export", "session", FIRST, "-o", home.shop / "talk.md"),
        _export,
    ),
    Action(
        "fork", words("resume", "{first}", "--at", "u0", "--print"), keys("tab", "g", "F", "1", session=FIRST),
        before=_client,
    ),
    Action("dream adopt all", words("dream", "adopt"), keys("2", "A", "y"), before=_held),
    Action("dream adopt one", words("dream", "adopt", "user_role.md"), _adopt_file, before=_held),
    Action(
        "dream adopt hunk", words("dream", "adopt", "user_role.md", "--hunk", "2"), _adopt_hunk, before=_two_hunks
    ),
    Action("dream discard", words("dream", "discard", "-y"), keys("2", "X", "y"), before=_held),
    Action("dream restore", words("dream", "restore"), keys("2", "U", "y"), before=_adopted),
    Action(
        "dismiss proposal", words("dream", "proposals", "--dismiss", "feedback_b"), keys("2", "i", "X", "escape"),
        before=_contradicts,
    ),
    Action("clear lock", words("kill", "--clear-stale-lock", "-y"), keys("2", "x", "y"), before=_stale_lock),
    Action(
        "move project", lambda home: home.run("projects", "move", "-y", "/gone/shop", home.shop),
        keys("colon", *"bring", "enter", "enter", "y"), before=_moved_project,
    ),
    Action("undo move", words("projects", "undo-move"), keys("z"), before=_project_moved),
    Action("edit in $EDITOR", words("edit", "user_role"), keys("e", file="user_role.md"), before=_appends),
    Action("edit here", words("edit", "feedback_commits"), _in_editor, before=_inserts),
    Action("edit an instruction", words("edit", "CLAUDE.md"), _instruction, before=_instructed),
    Action("dream", words("dream", "now", "--wait", "--force"), _new_dream, before=_adopt_unasked),
    Action("own setting", words("config", "set", "glyphs", "unicode"), _own_setting),
    Action("edit config.toml", words("config", "edit"), keys("5", "e"), before=_comments),
    Action("undo own setting", words("undo"), keys("z"), before=_set_glyphs),
    Action("redo own setting", words("redo"), keys("Z"), before=_unset_glyphs),
    Action(
        "Claude Code's setting", words("config", "set", "client.autoMemoryEnabled", "off"), keys("5", "space", "y"),
        before=_claude_settings,
    ),
]  # fmt: skip


STOP = "stop a dream"
"""Not among the actions: each side needs a dream of its own that runs."""

ACTIONS_OF_COMMANDS = {
    "memory.new": "new", "memory.delete": "delete", "memory.rename": "rename", "memory.type": "set type",
    "memory.add": "add to index", "memory.fix": "fix", "memory.restore": "restore", "memory.pin": "pin",
    "memory.describe": "set description", "memory.expiry": "set expiry", "memory.merge": "merge",
    "memory.promote": "promote", "memory.stores": "merge stores",
    "memory.above_cut": "move above the cut", "memory.split": "split",
    "memory.tidy": "tidy", "memory.rebuild": "rebuild", "memory.external": "edit in $EDITOR",
    "sessions.rename": "session rename", "sessions.save": "session save", "sessions.archive": "session archive",
    "sessions.delete": "session delete", "dream.now": "dream", "dream.stop": STOP, "dream.adopt": "dream adopt one",
    "dream.diff": "dream adopt hunk", "dream.proposals": "dismiss proposal",
    "dream.adopt_all": "dream adopt all", "dream.discard": "dream discard", "dream.restore": "dream restore",
    "dream.restore_all": "dream restore", "watch.undo": "undo", "reader.edit": "edit here", "transcript.from": "fork",
    "settings.toggle": "own setting", "settings.change": "Claude Code's setting", "settings.default": "own setting",
    "settings.open": "edit config.toml", "editor.save": "edit here", "editor.external": "edit in $EDITOR",
    "history.restore_folder": "restore folder", "projects.bring": "move project", "app.undo": "undo",
    "app.redo": "redo",
}  # fmt: skip
"""The commands of the screen that write, each with the action that does what its service does."""

ACTIONS_OF_WORDS = {
    "merge": "merge", "promote": "promote", "stores": "merge stores",
    "new": "new", "edit": "edit here", "set": "set type", "mv": "rename", "rm": "delete", "pin": "pin", "check": "fix",
    "index": "tidy", "undo": "undo", "redo": "redo", "restore": "restore", "dream adopt": "dream adopt all",
    "dream discard": "dream discard", "dream now": "dream", "dream restore": "dream restore", "kill": STOP,
    "dream proposals": "dismiss proposal",
    "sessions archive": "session archive", "sessions rename": "session rename", "sessions restore": "session put back",
    "sessions rm": "session delete", "sessions save": "session save", "resume": "fork",
    "export session": "session export", "projects move": "move project", "projects undo-move": "undo move",
    "config edit": "edit config.toml", "config set": "own setting",
}  # fmt: skip
"""The subcommands that write, likewise."""

ONLY_ON_SCREEN = {f"compare.{name}" for name in ("mine", "disk", "both", "merge", "copy", "drop")}
"""Answers to a conflict: the command line keeps a draft."""
ONLY_WORDS = {"dream run", "dream schedule"}
"""What a run's process is started with, and the entry in the system's own scheduler."""

_READING = {
    "topics": "open unfold fold",
    "memory": (
        "compare context copy origin filter backlinks mark group order problems preview next_tab previous_tab escape"
    ),
    "sessions": "open unfold fold read copy memory filter all worktrees programs branch mark order escape",
    "dream": "compare follow details runs",
    "watch": "follow log_down log_up help close",
    "reader": "escape find next previous follow copy back next_tab previous_tab",
    "transcript": (
        "fold next_prompt previous_prompt find next previous unfold_all fold_all unfold fold_one view copy escape"
    ),
    "editor": "close properties preview problem problem_back fix compare find",
    "compare": "next previous unfold escape",
    "pane": "next previous preview bigger smaller",
    "preview": "down up",
    "lines": "down up home end page_down page_up half_down half_up",
    "view": "memory dream sessions search settings run run_typing",
    "app": "palette help activity project reload secrets redraw suspend quit",
}
READING = {f"{first}.{last}" for first, names in _READING.items() for last in names.split()}
"""The commands that write nothing."""
READING_WORDS = {
    "ls", "show", "budget", "context", "history", "doctor", "completion", "version",
    *(f"explain {name}" for name in ("context", "frontmatter", "index", "path", "permission", "place")),
    "explain resume", "explain transcript",
    *(f"dream {name}" for name in ("diff", "doctor", "log", "status", "watch", "why")),
    *(f"sessions {name}" for name in ("health", "ls", "show", "tree")),
    "projects", "projects ls", "config get", "config keys", "config path",
}  # fmt: skip


def _subcommands(words: str, command: click.Command) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield words
        return
    if command.invoke_without_command:
        yield words
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from _subcommands(f"{words} {name}", found)


def test_what_writes_is_among_the_actions() -> None:
    preload.load_all()
    ids = {command.id for command in registry.all_commands()}
    assert ids == ACTIONS_OF_COMMANDS.keys() | ONLY_ON_SCREEN | READING
    listed = set()
    for name, target in COMMANDS.items():
        module, _, attribute = target.partition(":")
        listed |= set(_subcommands(name, getattr(import_module(module), attribute)))
    assert listed == ACTIONS_OF_WORDS.keys() | ONLY_WORDS | READING_WORDS
    assert {*ACTIONS_OF_COMMANDS.values(), *ACTIONS_OF_WORDS.values()} <= {*(one.name for one in ACTIONS), STOP}
    assert not READING & ACTIONS_OF_COMMANDS.keys() and not READING_WORDS & ACTIONS_OF_WORDS.keys()


def _first_version(home: Home, name: str) -> str:
    return home.workspace.versions(home.folder / name)[-1].id


@pytest.fixture
def home_of_both(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Home:
    """~/shop with six topics, an index that lists five of them, and two sessions."""
    root = home.resolve()
    shop = root / "shop"
    shop.mkdir()
    monkeypatch.chdir(shop)
    monkeypatch.setattr(CliContext, "now", staticmethod(lambda: NOW))
    monkeypatch.setattr(Output, "interactive", lambda self: True)
    monkeypatch.setattr(MemtuiApp, "suspend", lambda self: nullcontext())
    monkeypatch.setattr(spawn, "PROGRAM", (sys.executable, "-P", "-c", MAIN))
    monkeypatch.setenv("EDITOR", "false")
    monkeypatch.setenv("PATH", os.environ["PATH"])  # put back at the end
    config = root / ".config/memtui"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("trash = false\n", encoding="utf-8")
    made = Home(root, shop, run)
    write_memory(made.folder)
    for number, (id, words) in enumerate([(FIRST, "Make checkout retry"), (SECOND, "Migrate to pnpm")]):
        script = Script().user("u0", None, words, cwd=str(shop)).answer("a1", "u0")
        path = made.sessions / f"{id}.jsonl"
        path.write_text("\n".join(script.lines) + "\n", encoding="utf-8")
        os.utime(path, (NOW - 86_400 * number,) * 2)
    return made


def _app(home: Home, *, read_only: bool = False) -> MemtuiApp:
    context = CliContext()
    context.options.read_only = read_only
    workspace = context.workspace
    config = read_config(workspace.dirs.config)
    return MemtuiApp(StartContext.over(workspace), config, glyphs=UNICODE, watch=False)


async def _on_screen(home: Home, act: OnScreen, *, read_only: bool = False) -> None:
    app = _app(home, read_only=read_only)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await act(Screen(pilot, app, home))
        await settle(pilot)


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.name)
async def test_both_do_the_same(action: Action, home_of_both: Home) -> None:
    home = home_of_both
    if action.before is not None:
        action.before(home)
    home.save()
    begun = home.state()
    ran = action.command(home)
    assert ran.code == 0, ran.err
    done = home.state()
    assert done != begun
    home.put_back()
    assert home.state() == begun
    await _on_screen(home, action.screen)
    shown = home.state()
    for key, value in done.items():
        assert shown[key] == value, key


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.name)
async def test_both_refuse_in_read_only_mode(action: Action, home_of_both: Home) -> None:
    home = home_of_both
    if action.before is not None:
        action.before(home)
    home.save()
    begun = home.state()
    run = home.run
    home.run = lambda *args, **options: run("--read-only", *args, **options)
    assert action.command(home).code == 5
    assert home.state() == begun
    await _on_screen(home, _as_far_as_it_goes(action.screen), read_only=True)
    assert home.state() == begun


async def test_both_stop_a_dream(home_of_both: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home = home_of_both
    monkeypatch.setattr(spawn, "PROGRAM", (sys.executable, "-P", "-c", PROGRAM))
    monkeypatch.setenv("DEEDS", "hang")
    home.save()
    begun = home.state()

    def start() -> None:
        assert home.run("dream", "now", "--force").code == 0
        events = list_runs(home.workspace.dirs)[0].events
        next(one for one in follow_events(events, lambda: False, pause=time.sleep) if isinstance(one, Phase))

    start()
    assert home.run("--read-only", "kill").code == 5
    assert home.run("kill").code == 0
    done = home.state()
    assert done["files"] == begun["files"]
    home.put_back()
    start()
    await _on_screen(home, _as_far_as_it_goes(keys("2", "x", "y")), read_only=True)
    assert not _ended(home)
    await _on_screen(home, _stop)
    assert home.state() == done


async def _stop(screen: Screen) -> None:
    await screen.press("2", "x", "y")
    await screen.until(lambda: _ended(screen.home))


def _as_far_as_it_goes(act: OnScreen) -> OnScreen:
    """What is pressed where a dialog doesn't open may find no widget: that is a refusal."""

    async def tried(screen: Screen) -> None:
        with suppress(NoMatches, StopIteration):
            await act(screen)

    return tried


async def _dismiss(screen: Screen) -> None:
    """Edit in $EDITOR and say no to what is asked then."""
    await screen.file("user_role.md")
    await screen.press("e")
    if len(screen.app.screen_stack) > 1:
        await screen.press("escape")


async def test_both_ask_about_a_token_and_keep_it_as_a_draft(home_of_both: Home) -> None:
    home = home_of_both
    _editor(home, f'printf "token {TOKEN}\\n" >> "$file"')
    home.save()
    begun = home.state()
    ran = home.run("edit", "user_role")
    assert ran.code == 5
    assert TOKEN not in ran.err
    done = home.state()
    assert done["files"] == begun["files"]
    assert [TOKEN in text for _, text in done["drafts"]] == [True]  # type: ignore[attr-defined]
    home.put_back()
    await _on_screen(home, _dismiss)
    assert home.state() == done


@pytest.mark.parametrize("answer", ["r", "k", "a"])
async def test_both_take_the_same_answers_to_a_token(home_of_both: Home, answer: str) -> None:
    home = home_of_both
    _editor(home, f'printf "token {TOKEN}\\n" >> "$file"')
    home.save()
    assert home.run("edit", "user_role", input=f"{answer}\n").code == 0
    done = home.state()
    home.put_back()
    await _on_screen(home, keys("e", answer, file="user_role.md"))
    assert home.state() == done


async def test_both_leave_a_file_that_somebody_else_changed(home_of_both: Home) -> None:
    home = home_of_both
    file = home.folder / "user_role.md"
    _editor(home, f'printf "Mine.\\n" >> "$file"; printf "Theirs.\\n" >> {shlex.quote(str(file))}')
    home.save()
    ran = home.run("edit", "user_role")
    assert ran.code == 4, ran.err
    disk, kept = file.read_bytes(), home.workspace.drafts.list()
    assert disk.endswith(b"Theirs.\n")
    assert "Mine." in kept[0].text
    home.put_back()
    await _on_screen(home, _dismiss)
    assert file.read_bytes() == disk
    [draft] = home.workspace.drafts.list()
    assert "Mine." in draft.text


async def test_both_tell_an_editor_with_a_window_to_wait(home_of_both: Home) -> None:
    home = home_of_both
    _editor(home, f'printf "%s\\n" "$@" > {shlex.quote(str(home.root.parent / "words"))}; printf "More.\\n" >> "$file"')
    code = home.root.parent / "code"
    (home.root.parent / "editor.sh").rename(code)
    os.environ["EDITOR"] = str(code)
    home.save()
    assert home.run("edit", "user_role").code == 0
    done = home.state()
    assert (home.root.parent / "words").read_text(encoding="utf-8").startswith("--wait\n")
    (home.root.parent / "words").unlink()
    home.put_back()
    await _on_screen(home, keys("e", file="user_role.md"))
    assert (home.root.parent / "words").read_text(encoding="utf-8").startswith("--wait\n")
    assert home.state() == done


async def test_the_sample_home_takes_the_persons_editor(home_of_both: Home) -> None:
    home = home_of_both
    _editor(home, 'printf "More.\\n" >> "$file"')
    sample = build_demo(home.root.parent / "sample", NOW)
    location = locate_memory(sample.env, sample.cwd)
    workspace = Workspace(sample.env, sample.dirs, location, now=lambda: NOW)
    file = location.folder / "MEMORY.md"
    app = MemtuiApp(StartContext.over(workspace), read_config(workspace.dirs.config), glyphs=UNICODE, watch=False)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        screen = Screen(pilot, app, home)
        await screen.file(str(file))
        await screen.press("e")
        await screen.until(lambda: file.read_bytes().endswith(b"More.\n"))
