"""How fast the replay kernel is: `python -m tests.tools.bench_kernel [GAMES]`.

Replays one generated history interpreted and, where numba is installed, compiled.
"""

import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from ratings.engine.replay import INTERPRETED
from ratings.rerates.services.kernel_compiler import compiled_kernel
from tests.tools.bench_replay import generated_world, measure

RUNS = 3


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    world = generated_world(games)
    for kernel in (INTERPRETED, compiled_kernel()):
        if kernel is None:
            print("compiled: numba is not installed (make fast)")
            continue
        measure(generated_world(100), kernel)  # compiles, unless the result is cached
        rates = [measure(world, kernel).games_per_second for _ in range(RUNS)]
        print(f"{kernel.name}: {max(rates):,.0f} games a second")


if __name__ == "__main__":
    main()
