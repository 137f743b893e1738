"""Wishes about files: new, rename, delete, type, index, fix, pin."""

from memtui.memory import plans
from memtui.tui.commands.base import CommandHandler
from memtui.tui.dialogs.ask import Ask
from memtui.tui.dialogs.choose import Choose, Option
from memtui.tui.dialogs.new_topic import NewTopic
from memtui.tui.dialogs.question import Question
from memtui.tui.messages import CommandDone, CommandRequested
from memtui.tui.render.arrange import TYPES
from memtui.util.errors import NotFound


class MemoryCommands(CommandHandler):
    """Everything that a key of the list does to files."""

    async def wish_new(self, wish: CommandRequested) -> None:
        """A new topic file, listed in the index."""
        snapshot = self.snapshot
        answer = await self.app.push_screen_wait(NewTopic(plans.file_name))
        if answer is None:
            return
        plan = await self.off(plans.plan_new, snapshot, answer.name, answer.type, answer.description)
        await self.do(plan, focus=self.workspace.location.folder / plans.file_name(answer.type, answer.name))

    async def wish_rename(self, wish: CommandRequested) -> None:
        """Rename; index entry and links follow and are shown first."""
        snapshot, path = self.snapshot, self.one(wish)
        file = snapshot.topic(path)
        new = await self.app.push_screen_wait(
            Ask("Rename", file.name, explain="Index entry and links follow.", check=plans.check_name)
        )
        if new and new != file.name:
            plan = await self.off(plans.plan_rename, snapshot, file, new)
            await self.offer(plan, yes="rename", focus=plan.root / new)

    async def wish_delete(self, wish: CommandRequested) -> None:
        """Delete; what is deleted stays in history and goes to the trash."""
        snapshot = self.snapshot
        files = [snapshot.topic(path) for path in wish.paths]
        if not files:
            raise NotFound("no file is chosen here")
        plan = await self.off(plans.plan_delete, snapshot, files)
        lines = [f"  {file.name}" for file in files[:8]] + ([f"  and {len(files) - 8} more"] if len(files) > 8 else [])
        lines += ["", *plan.notes, "z brings everything back."]
        if await self.app.push_screen_wait(Question(plan.title, lines, yes="Delete", no="Keep")):
            await self.do(plan)

    async def wish_set_type(self, wish: CommandRequested) -> None:
        """Choose one of the four types."""
        snapshot = self.snapshot
        files = [snapshot.topic(path) for path in wish.paths]
        options = [Option(type_, type_) for type_ in TYPES]
        type_ = await self.app.push_screen_wait(Choose("Type", options, start=files[0].type))
        if type_:
            await self.do(await self.off(plans.plan_type, snapshot, files, type_))

    async def wish_add_to_index(self, wish: CommandRequested) -> None:
        """List the files in MEMORY.md."""
        snapshot = self.snapshot
        plan = await self.off(plans.plan_add_to_index, snapshot, [snapshot.topic(path) for path in wish.paths])
        await self.offer(plan, yes="add")

    async def wish_fix(self, wish: CommandRequested) -> None:
        """Fix the first problem of the file that can be fixed."""
        from memtui.memory.plans import plan_fix

        snapshot, path = self.snapshot, self.one(wish)
        for problem in snapshot.problems:
            if problem.path == path and problem.fix:
                plan = await self.off(plan_fix, snapshot, problem, pinned=self.workspace.pinned)
                await self.offer(plan, yes=problem.fix)
                return
        raise NotFound("nothing here that memtui can fix by itself")

    async def wish_tidy(self, wish: CommandRequested) -> None:
        """Bring the index down to 70 % of its limits, shown first."""
        await self.offer(await self.off(plans.plan_tidy, self.snapshot, pinned=self.workspace.pinned), yes="write it")

    async def wish_rebuild(self, wish: CommandRequested) -> None:
        """Make the index anew from the topic files, shown first."""
        await self.offer(
            await self.off(plans.plan_rebuild, self.snapshot, pinned=self.workspace.pinned), yes="write it"
        )

    async def wish_pin(self, wish: CommandRequested) -> None:
        """Pin or unpin: no background run may touch a pinned file."""
        place = self.workspace.location
        pinned = await self.off(self.workspace.pins.toggle, place.folder, wish.paths)
        self.app.post_message(CommandDone(f"{len(wish.paths)} {'pinned' if pinned else 'unpinned'}"))
