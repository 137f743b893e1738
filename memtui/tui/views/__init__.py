"""The bodies of the screen, one for each of the keys 1 to 5; `table` lists them."""
