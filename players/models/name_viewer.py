"""Who sees the names of private members, for the current request.

By default no one does: not in jobs, commands, files, or public pages. So code that
forgets about private members hides their names.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any

_bound: list[Callable[[Any], Iterable[Any]]] = []


def bind_linked_members(linked_members: Callable[[Any], Iterable[Any]]) -> None:
    """Set the function that returns the members an account is linked to."""
    _bound[:] = [linked_members]


class NameViewer:
    """The account of a request. It is read only once a private name is needed."""

    def __init__(self, holder: Any = None, *, sees_all: bool = False) -> None:
        self._holder = holder
        self.is_trusted = sees_all

    @property
    def _user(self) -> Any:
        return getattr(self._holder, "user", None)

    @property
    def sees_all(self) -> bool:
        user = self._user
        return self.is_trusted or bool(user and user.is_active and user.is_staff)

    @cached_property
    def _own(self) -> set[int]:
        user = self._user
        if not user or not user.is_authenticated:
            return set()
        return {member.pk for linked in _bound for member in linked(user)}

    def sees(self, *ids: int | None) -> bool:
        """Return whether the name of the member with these primary keys is shown."""
        return self.sees_all or not self._own.isdisjoint(ids)


_PUBLIC = NameViewer()
_viewer: ContextVar[NameViewer | None] = ContextVar("name_viewer", default=None)


def name_viewer() -> NameViewer:
    return _viewer.get() or _PUBLIC


def show_all_names() -> None:
    """Show all names in the rest of this request: on the pages of certified TDs."""
    if viewer := _viewer.get():
        viewer.is_trusted = True


@contextmanager
def names_for(viewer: NameViewer) -> Iterator[None]:
    """Show names to *viewer* only."""
    token = _viewer.set(viewer)
    try:
        yield
    finally:
        _viewer.reset(token)


def all_names_shown() -> AbstractContextManager[None]:
    """Show the names of private members too, for what only staff or a TD gets."""
    return names_for(NameViewer(sees_all=True))


class NameViewerMiddleware:
    """Show private names to those who may see them; the innermost middleware.

    The page cache and the API pass it requests without an account, and these show none.
    """

    def __init__(self, get_response: Any) -> None:
        self.get_response = get_response

    def __call__(self, request: Any) -> Any:
        with names_for(NameViewer(request)):
            return self.get_response(request)
