/** Leads from a search for an error code to its line. Redoc's own search leads to the begin of the text that has it. */

const dialog = '[data-testid="search-dialog"]';
const searched = () => document.querySelector(`${dialog} input`);

/** Watches Redoc's search dialog, before Redoc does. */
export function leadToErrorCodes() {
  const capture = true;
  const clicked = (event) => {
    const chosen = event.target.closest?.(`${dialog} a`);
    // It leads to the begin of the page. What an operation says about the code is at that operation.
    const line = chosen?.getAttribute('href') === '#/' ? lineOf(searched().value) : undefined;
    if (!line) return;
    event.preventDefault();
    event.stopPropagation();
    document.querySelector(`${dialog} [data-translation-key="search.cancel"]`).click();
    for (const found of document.querySelectorAll('tr.found')) found.classList.remove('found');
    line.classList.add('found');
    line.scrollIntoView({ block: 'center' });
  };
  // Redoc waits for the arrow keys first.
  const pressed = ({ key, target }) => {
    if (key === 'Enter' && target === searched()) document.querySelector(`${dialog} a`)?.click();
  };
  addEventListener('click', clicked, { capture });
  addEventListener('keydown', pressed, { capture });
}

/** The line of a table that begins with this code. */
function lineOf(text) {
  const code = text.trim().toLowerCase();
  const codes = [...document.querySelectorAll('td:first-child code')];
  return codes.find(({ textContent }) => textContent === code)?.closest('tr');
}
