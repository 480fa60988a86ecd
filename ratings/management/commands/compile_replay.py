"""Compile the replay kernel before the first rerate."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ratings.rerates.services.kernel_compiler import warm_up


class Command(BaseCommand):
    help = (
        "Compile the replay kernel and store it in DATA_DIR or NUMBA_CACHE_DIR. "
        "Otherwise the first large rerate does this, which takes a minute. "
        "Requires the extra “fast”."
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        began = perf_counter()
        if not warm_up():
            raise CommandError("numba is not installed. Run “make fast”.")
        seconds = perf_counter() - began
        self.stdout.write(f"The replay kernel is ready ({seconds:.0f} s).")
