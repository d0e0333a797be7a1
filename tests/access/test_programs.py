"""Codes that programs exchange for their token."""

import base64
import hashlib

from perdure.access.keyring import Keyring
from perdure.access.programs import Codes, known, registered
from perdure.core.timing import PROGRAM_CODE_KEPT

BACK = "https://agent.example/callback"
VERIFIER = "a verifier that nobody else knows, of enough characters"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
KEY = "a secret key that only tests use"


def test_a_code_is_over_after_a_short_while_and_opens_nowhere_else() -> None:
    codes, program = Codes(Keyring.of([KEY])), registered("An agent", [BACK])
    code = codes.made("pdt_x", program, BACK, CHALLENGE, 1_000)
    end = 1_000 + PROGRAM_CODE_KEPT.total_seconds()
    assert codes.redeemed(code, program, BACK, VERIFIER, end - 1) == "pdt_x"
    assert codes.redeemed(code, program, BACK, VERIFIER, end) is None
    assert Codes(Keyring.of([f"another {KEY}"])).redeemed(code, program, BACK, VERIFIER, 1_000) is None
    assert codes.redeemed(f"{code[:-4]}AAAA", program, BACK, VERIFIER, 1_000) is None


def test_a_program_is_known_by_its_name_alone() -> None:
    program = known(registered("Ä", [BACK, "http://localhost:1/a"]))
    assert (program.name, program.leads_to(BACK), program.leads_to("http://localhost:2/a")) == ("Ä", True, True)
    elsewhere = ("https://agent.example:444/callback", "http://localhost:2/b", "http://127.0.0.1:1/a")
    assert not any(map(program.leads_to, elsewhere))
