"""What views are made of; a panel draws what it is given and reports wishes as messages."""
