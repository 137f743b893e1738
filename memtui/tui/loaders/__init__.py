"""Reading for the screen: each loader works in threads and reports by `tui.messages`."""
