"""What a person can ask for.

`registry` knows every command. The other modules declare those that ask back or write, by what they are about; commands
that only move or fold something are declared beside their widget. A command gets a `CommandContext`, asks by dialogs,
has a service do it in a thread, and says what was done; no rule about files is decided here.
"""
