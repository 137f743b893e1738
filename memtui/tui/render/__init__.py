"""What was read, turned into rows and drawn lines for the widgets."""
