"""The person's editor: which, how it is told to wait, and that nothing typed in it is lost."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.fs.atomic import digest
from memtui.memory.workspace import Workspace
from memtui.services.editor import command_for, edit_config, edit_file, editor_words, save_returned, take_up_leftovers
from memtui.services.memory import SavedFile, save_file
from memtui.services.questions import Allow, NeedsConfirmation, SecretFound
from memtui.util.config import read_config
from memtui.util.errors import Refused, Unsupported
from tests.services.conftest import TOKEN
from tests.support import REPO

Script = Callable[[str], None]


@pytest.fixture
def editor(home: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """Sets $EDITOR to a shell script; in it, $file is the file to edit."""

    def write(body: str) -> None:
        script = home / "editor.sh"
        script.write_text(f"#!/bin/sh\nfor file; do :; done\n{body}\n", encoding="utf-8")
        script.chmod(0o755)
        monkeypatch.setenv("EDITOR", str(script))

    return write


@pytest.mark.parametrize(
    ("command", "line", "expected"),
    [
        ("vi", None, "vi F"),
        ("vi", 7, "vi +7 F"),
        ("nano -w", 7, "nano -w +7 F"),
        ("emacsclient -c", 7, "emacsclient -c +7 F"),
        ("code", None, "code --wait F"),
        ("code --wait", None, "code --wait F"),
        ("code -w -n", None, "code -w -n F"),
        ("code", 7, "code --wait --goto F:7"),
        ("/usr/local/bin/code-insiders", 7, "/usr/local/bin/code-insiders --wait --goto F:7"),
        ("cursor", None, "cursor --wait F"),
        ("windsurf", 3, "windsurf --wait --goto F:3"),
        ("zed", 7, "zed --wait F:7"),
        ("subl -n", 7, "subl -n --wait F:7"),
        ("gvim", 7, "gvim -f +7 F"),
        ("gvim --nofork", None, "gvim --nofork F"),
        ("mvim", None, "mvim -f F"),
        ("kate", 7, "kate --block --line 7 F"),
        ("gedit", 7, "gedit --wait +7 F"),
        ("pycharm", 7, "pycharm --wait --line 7 F"),
        ("mate", None, "mate --wait F"),
        ("hx", 7, "hx F:7"),
        ("atom", None, "atom --wait F"),
    ],
)
def test_an_editor_is_told_to_wait_and_where_to_start(command: str, line: int | None, expected: str) -> None:
    assert command_for(shlex.split(command), Path("F"), line) == shlex.split(expected)


def test_the_setting_goes_before_the_environment(workspace: Workspace) -> None:
    config = read_config(workspace.dirs.config)
    assert editor_words(config, {"VISUAL": "one -x", "EDITOR": "two"}) == ["one", "-x"]
    assert editor_words(config, {"VISUAL": " ", "EDITOR": "two"}) == ["two"]
    workspace.dirs.config.mkdir(parents=True)
    (workspace.dirs.config / "config.toml").write_text('editor = "three"\n', encoding="utf-8")
    assert editor_words(read_config(workspace.dirs.config), {"VISUAL": "one"}) == ["three"]
    with pytest.raises(Unsupported):
        editor_words(config, {"EDITOR": "'open"})


def test_what_comes_back_is_saved_and_the_copy_is_forgotten(workspace: Workspace, folder: Path, editor: Script) -> None:
    editor('printf "more\\n" >> "$file"')
    result = edit_file(workspace, folder / "a.md")
    assert isinstance(result.outcome, SavedFile)
    assert (folder / "a.md").read_bytes().endswith(b"more\n")
    assert take_up_leftovers(workspace) == ()
    assert workspace.drafts.list() == ()


def test_nothing_changed_is_nothing_saved(workspace: Workspace, folder: Path, editor: Script) -> None:
    editor("true")
    before = (folder / "a.md").stat().st_mtime_ns
    result = edit_file(workspace, folder / "a.md")
    assert (result.outcome, result.returned.at_once) == (None, True)
    assert (folder / "a.md").stat().st_mtime_ns == before


def test_a_copy_that_changes_after_the_editor_returned_is_a_draft(
    workspace: Workspace, folder: Path, editor: Script
) -> None:
    editor(f'printf "%s" "$file" > {shlex.quote(str(folder.parent / "where"))}')
    assert edit_file(workspace, folder / "a.md").outcome is None
    assert take_up_leftovers(workspace) == ()
    copy = Path((folder.parent / "where").read_text(encoding="utf-8"))
    copy.write_bytes(b"typed later\n")
    [late] = take_up_leftovers(workspace)
    assert "saved after the editor had returned" in late
    assert "kept as a draft" in late
    draft = workspace.drafts.load(folder / "a.md")
    assert draft is not None
    assert draft.text == "typed later\n"
    assert take_up_leftovers(workspace) == ()
    copy.write_bytes(b"and later still\n")
    workspace.drafts.drop(folder / "a.md")
    assert ["after the editor had returned" in one for one in take_up_leftovers(workspace)] == [True]


def test_an_editor_that_fails_loses_nothing(workspace: Workspace, folder: Path, editor: Script) -> None:
    editor('printf "typed" > "$file"; exit 3')
    with pytest.raises(Unsupported, match="ended with 3") as error:
        edit_file(workspace, folder / "a.md")
    assert "kept as a draft" in error.value.hint
    draft = workspace.drafts.load(folder / "a.md")
    assert draft is not None
    assert draft.text == "typed"
    editor("exit 3")
    with pytest.raises(Unsupported) as error:
        edit_file(workspace, folder / "b.md")
    assert error.value.hint == "nothing was saved"


def test_a_draft_is_gone_on_with(workspace: Workspace, folder: Path, editor: Script) -> None:
    base = workspace.text(folder / "a.md")[1]
    workspace.drafts.save(folder / "a.md", "from the draft\n", base)
    editor("true")
    assert isinstance(edit_file(workspace, folder / "a.md").outcome, SavedFile)
    assert (folder / "a.md").read_bytes() == b"from the draft\n"
    assert workspace.drafts.list() == ()


@pytest.mark.parametrize(
    ("name", "typed"), [("MEMORY.md", ""), ("MEMORY.md", "# Memory"), ("MEMORY.md", "- [a](a.md)"), ("a.md", " \\n")]
)
def test_an_emptied_text_is_asked_about(
    workspace: Workspace, folder: Path, editor: Script, name: str, typed: str
) -> None:
    editor(f'printf -- "{typed}" > "$file"')
    before = (folder / name).read_bytes()
    result = edit_file(workspace, folder / name)
    assert isinstance(result.outcome, NeedsConfirmation)
    assert (folder / name).read_bytes() == before
    done = save_returned(workspace, folder / name, result.returned, Allow(confirmed=True))
    assert isinstance(done, SavedFile)


def test_the_last_entry_is_asked_about_and_an_empty_file_may_stay_empty(workspace: Workspace, folder: Path) -> None:
    index, topic = folder / "MEMORY.md", folder / "a.md"
    one, none = b"- [a](a.md)\n", b"# Memory\n"
    index.write_bytes(one)
    topic.write_bytes(b"\n")
    assert isinstance(save_file(workspace, index, none, digest(one), base_data=one), NeedsConfirmation)
    assert isinstance(save_file(workspace, topic, b"", digest(b"\n"), base_data=b"\n"), SavedFile)


def test_an_edit_of_our_settings_is_undone(workspace: Workspace, editor: Script) -> None:
    path = workspace.dirs.config / "config.toml"
    editor('printf "# mine\\n" >> "$file"')
    edit_config(workspace)
    assert path.read_text(encoding="utf-8") == "# mine\n"
    edit_config(workspace)
    assert workspace.operations()[0].why == "edit config.toml"
    workspace.undo_order().undo()
    assert path.read_text(encoding="utf-8") == "# mine\n"
    workspace.undo_order().undo()
    assert not path.exists()
    workspace.undo_order().redo()
    assert path.read_text(encoding="utf-8") == "# mine\n"


def test_a_token_is_asked_about(workspace: Workspace, folder: Path, editor: Script) -> None:
    editor(f'printf "token {TOKEN}" > "$file"')
    assert isinstance(edit_file(workspace, folder / "a.md").outcome, SecretFound)


def test_read_only_starts_no_editor(make: Callable[..., Workspace], folder: Path, editor: Script) -> None:
    editor('printf "typed" > "$file"')
    with pytest.raises(Refused):
        edit_file(make(read_only=True), folder / "a.md")


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell")
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGKILL], ids=lambda one: one.name)
def test_a_signal_while_somebody_edits_keeps_the_text(
    workspace: Workspace, folder: Path, home: Path, editor: Script, number: signal.Signals
) -> None:
    """The editor saves and then stops its parent, so no time has to pass."""
    editor(f'printf "typed" > "$file"; kill -{number.value} $PPID; sleep 0.2')
    code = (
        "import signal, sys\nfrom pathlib import Path\n"
        "from memtui.cli.context import CliContext\nfrom memtui.services.editor import edit_file\n"
        "def stop(number, frame):\n    raise SystemExit(128 + number)\n"
        "signal.signal(signal.SIGTERM, stop)\n"
        "edit_file(CliContext().workspace, Path(sys.argv[1]))\n"
    )
    env = {**os.environ, "PYTHONPATH": str(REPO)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder / "a.md")], cwd=home / "shop", env=env, timeout=60, check=False
    )
    assert done.returncode == (-9 if number == signal.SIGKILL else 128 + number)
    take_up_leftovers(workspace)
    draft = workspace.drafts.load(folder / "a.md")
    assert draft is not None
    assert draft.text == "typed"


def test_what_an_editor_saves_after_a_signal_ended_us_goes_on_with_the_draft(
    workspace: Workspace, folder: Path, editor: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It begins with a draft, is saved once, outlives us and is saved again."""

    def edited(words: list[str]) -> int:
        Path(words[-1]).write_bytes(b"typed")
        copies.append(Path(words[-1]))
        raise SystemExit(129)

    copies: list[Path] = []
    monkeypatch.setattr("memtui.services.editor.run_in_foreground", edited)
    editor("true")
    base = workspace.text(folder / "a.md")[1]
    workspace.drafts.save(folder / "a.md", "from the draft\n", base)
    with pytest.raises(SystemExit):
        edit_file(workspace, folder / "a.md")
    for typed in ("typed", "and more"):
        copies[0].write_text(typed, encoding="utf-8")
        take_up_leftovers(workspace)
        draft = workspace.drafts.load(folder / "a.md")
        assert draft is not None
        assert (draft.text, draft.base) == (typed, base)
    workspace.drafts.save(folder / "a.md", "typed elsewhere", base)
    copies[0].write_bytes(b"late")
    assert take_up_leftovers(workspace) == ()
    assert copies[0].read_bytes() == b"late"
