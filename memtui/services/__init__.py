"""What a person can do, one function each; the command line and the screen only ask and show."""
