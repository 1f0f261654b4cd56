/** Returns an element that the page is known to contain. */
export function partOf(id: string): HTMLElement {
  const part = document.getElementById(id);
  if (part === null) throw new Error(`The page has no #${id}.`);
  return part;
}

/** Shows a result in an element whose changes screen readers announce. */
export function say(id: string, text: string, { isWrong = false } = {}): void {
  const place = partOf(id);
  place.textContent = text;
  place.classList.toggle('wrong', isWrong);
}
