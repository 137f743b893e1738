"""The commands, one file a group; `memtui.cli.COMMANDS` says where each is."""
