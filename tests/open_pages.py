"""What tests ask of a page of a tree that is open in a browser."""


def comes_true(page, is_so):
    """Wait until something holds, as long as a busy machine may take."""
    for _ in range(2400):
        if is_so():
            return True
        page.wait_for_timeout(50)
    return False


def panel(page):
    return page.locator("section.node").inner_text()


def answer(page):
    """Return what the tree answers to the row that is followed."""
    return page.locator(".answer strong").inner_text()


def cards(page):
    return page.locator("[data-node]").count()


def lit(page):
    return sorted(int(card.get_attribute("data-node")) for card in page.locator(".card.reached").all())


def active(page):
    return int(page.locator("svg.canvas").get_attribute("aria-activedescendant").split("-")[1])


def scale(page):
    return page.evaluate("document.querySelector('.canvas > g').getCTM().a")
