"""What the scanner finds is masked, whatever is around it, and the text keeps its lines."""

from hypothesis import given
from hypothesis import strategies as st

from memtui.presentation.secrets import mask_secrets, mask_texts
from tests.services.conftest import TOKEN

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAE\n" * 3
KEY += "-----END OPENSSH PRIVATE KEY-----"


@given(st.text(), st.text())
def test_a_token_is_masked_and_the_lines_stay(before: str, after: str) -> None:
    text = f"{before}\n{TOKEN}\n{after}"
    masked = mask_secrets(text)
    assert TOKEN not in masked and "(40 characters)" in masked
    assert masked.count("\n") == text.count("\n")
    assert mask_secrets(masked).count("\n") == text.count("\n")


def test_a_private_key_is_masked_whole() -> None:
    masked = mask_secrets(f"a\n{KEY}\nb")
    assert masked.split("\n")[0] == "a" and masked.split("\n")[-1] == "b"
    assert "b3Blbn" not in masked and masked.count("\n") == KEY.count("\n") + 2


@given(st.lists(st.sampled_from(["", "plain", f"key {TOKEN}", "two\nlines", f"x\n{TOKEN}", KEY])))
def test_lines_are_masked_each_in_its_place(lines: list[str]) -> None:
    masked = mask_texts(lines)
    assert len(masked) == len(lines)
    assert not any(TOKEN in line for line in masked)
    assert all(new == old for old, new in zip(lines, masked, strict=True) if old in ("", "plain", "two\nlines"))
