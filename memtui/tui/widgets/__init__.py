"""What views are made of; a widget draws what it is given and reports by messages."""
