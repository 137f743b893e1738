"""From the start of the process to the first frame: the frame kept from last time, and what it was made from."""
