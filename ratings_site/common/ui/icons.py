"""The icons of the pages, on a 16 x 16 grid in the color of the text."""

from __future__ import annotations

_SHAPES = {
    "error": '<path d="M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2z"/>'
    '<path d="M5.7 5.7l4.6 4.6M10.3 5.7l-4.6 4.6"/>',
    "warning": '<path d="M8 1.8l6.7 12.2H1.3z"/><path d="M8 6.3v3.6M8 11.6v.6"/>',
    "note": '<circle cx="8" cy="8" r="6.5"/><path d="M8 7.2v4.3M8 4.4v.7"/>',
    "good": '<circle cx="8" cy="8" r="6.5"/><path d="M4.9 8.3l2.2 2.2 4-4.6"/>',
    "search": '<circle cx="6.8" cy="6.8" r="4.8"/><path d="M10.4 10.4l4.1 4.1"/>',
    "print": '<path d="M4.5 5.5v-4h7v4M4.5 11.5h-3v-6h13v6h-3"/>'
    '<path d="M4.5 9.5h7v5h-7z"/>',
    "download": '<path d="M8 1.5v8.5M4.5 6.8L8 10.3l3.5-3.5M1.8 11.5v3h12.4v-3"/>',
    "bell": '<path d="M3.2 11.8h9.6L11.5 9.6V6.5a3.5 3.5 0 0 0-7 0v3.1z"/>'
    '<path d="M6.5 14.2h3"/>',
    "clock": '<circle cx="8" cy="8" r="6.5"/><path d="M8 4.2V8l2.6 1.8"/>',
}


def icon_svg(name: str) -> str:
    """Return the icon as inline SVG, hidden from screen readers."""
    return (
        '<svg class="icon" viewBox="0 0 16 16" fill="none" stroke="currentColor" '
        'stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" '
        f'aria-hidden="true" focusable="false">{_SHAPES[name]}</svg>'
    )
