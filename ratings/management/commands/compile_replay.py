"""Compile the replay kernel, so that the first rerate need not."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ratings.rerates.services.compiled import make_ready


class Command(BaseCommand):
    help = (
        "Compile the replay kernel and keep it on disk, under DATA_DIR or where "
        "NUMBA_CACHE_DIR says. Without it the first large rerate does so, which takes "
        "a minute. Needs the extra “fast”."
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        began = perf_counter()
        if not make_ready():
            raise CommandError("numba is not installed. Run “make fast”.")
        seconds = perf_counter() - began
        self.stdout.write(f"The replay kernel is ready ({seconds:.0f} s).")
