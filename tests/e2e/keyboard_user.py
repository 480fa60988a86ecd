"""Hands that have a keyboard and nothing else."""

from playwright.sync_api import Locator, Page, expect

# What has the focus; which place of the page it has; whether one sees that.
FOCUSED = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const style = getComputedStyle(one);
  const boxes = [...one.getClientRects()].filter(box => box.width > 1);
  const onScreen = boxes.find(box => box.bottom > 0 && box.top < innerHeight
    && box.right > 0 && box.left < innerWidth);
  const over = onScreen && document.elementFromPoint(
    Math.min(innerWidth - 1, Math.max(0, (onScreen.left + onScreen.right) / 2)),
    Math.min(innerHeight - 1, Math.max(0, (onScreen.top + onScreen.bottom) / 2)));
  return {
    hasParts: one.matches('input[type=date], input[type=time]'),
    place: [...document.querySelectorAll('*')].indexOf(one),
    html: one.outerHTML.slice(0, 120),
    isSeen: Boolean(onScreen),
    isCovered: Boolean(over) && !one.contains(over) && !over.contains(one)
      && over.closest('label')?.control !== one,
    isMarked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1,
  };
}"""
# More stops than any page of the journeys has before what they look for.
MAX_STOPS = 150


class KeyboardUser:
    """Move through a page with Tab; check that each stop is visible and focused."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.emulate_media(reduced_motion="reduce")  # where it goes, it is at once

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def tab(self, key: str = "Tab") -> None:
        """Go on to the next stop, which is not where the hands were before."""
        before = self.page.evaluate(FOCUSED)
        self.press(key)
        here = self.page.evaluate(FOCUSED)
        if here is None:  # past the last stop, in the frame of the browser
            return
        stays = bool(before) and here["place"] == before["place"]
        assert not stays or here["hasParts"], f"stuck at {here['html']}"
        self.require_visible_focus(here)

    def require_visible_focus(self, here: dict | None = None) -> None:
        here = here or self.page.evaluate(FOCUSED)
        assert here, f"nothing has the focus on {self.page.url}"
        assert here["isMarked"], f"the focus does not show: {here['html']}"
        assert here["isSeen"], f"the focus is off the screen: {here['html']}"
        assert not here["isCovered"], f"the focus is covered: {here['html']}"

    def focus_on(self, what: Locator, key: str = "Tab") -> None:
        """Tab until *what* has the focus."""
        expect(what.first).to_be_attached()
        for _ in range(MAX_STOPS):
            self.tab(key)
            if what.first.evaluate("one => one === document.activeElement"):
                return
        raise AssertionError(f"{what} is not reached by {key} on {self.page.url}")

    def activate(self, what: Locator, key: str = "Enter") -> None:
        """Go to a link, button or box, and press it."""
        self.focus_on(what)
        self.press(key)

    def fill(self, field: Locator, text: str) -> None:
        self.focus_on(field)
        self.type(text)

    def type(self, text: str) -> None:
        """Type over what is there; what is long is pasted."""
        self.press("Control+a")
        self.page.keyboard.insert_text(text)

    def expect_title(self, title: str) -> None:
        """Wait for a page, and until its keys work."""
        expect(self.page.locator("h1")).to_have_text(title)
        self.page.wait_for_load_state()

    def sign_in(self, username: str) -> None:
        self.page.goto("/accounts/login/")
        self.fill(self.page.locator("main [name=login]"), username)
        self.fill(self.page.locator("main [name=password]"), f"demo-{username}")
        self.press("Enter")
        self.page.wait_for_url(lambda url: "/login/" not in url)

    def tab_through(self) -> int:
        """Tab through the whole page and back to its beginning; count the stops."""
        stops = 0
        self.page.evaluate("document.activeElement.blur()")
        while stops < 1000:
            self.tab()
            if self.page.evaluate(FOCUSED) is None:
                return stops
            stops += 1
        raise AssertionError(f"no end of {self.page.url}")
