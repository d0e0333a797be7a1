"""The page that sets providers up knows every dialect, and offers none that a service does not serve."""

import re
from pathlib import Path

import pytest

from perdure.providers.dialects.registry import DIALECTS
from perdure.providers.service import Service

VENDORS = (Path(__file__).parents[2] / "web/src/admin/vendors.ts").read_text()
OFFERED = re.findall(r'vendor: "(\w*)",\s+name: (?:t\()?"[^"]+"\)?,\s+dialect: "(\w+)"', VENDORS)
CLOUDS = {Service.AZURE, Service.BEDROCK, Service.VERTEX}


def test_the_page_lets_people_choose_every_dialect() -> None:
    listed = VENDORS.partition("export const DIALECTS = [")[2].partition("];")[0]
    assert re.findall(r'value: "(\w+)"', listed) == list(DIALECTS)


def test_every_vendor_of_the_page_is_read() -> None:
    assert len(OFFERED) == len(re.findall(r"^    vendor: ", VENDORS, re.MULTILINE)) > 5


@pytest.mark.parametrize(("vendor", "dialect"), OFFERED)
def test_a_vendor_speaks_what_the_page_says(vendor: str, dialect: str) -> None:
    known = DIALECTS[dialect]
    assert vendor not in CLOUDS or vendor in known.served
