/** An element of the page, which is known to be there. */
export function partOf(id: string): HTMLElement {
  const part = document.getElementById(id);
  if (part === null) throw new Error(`The page has no #${id}.`);
  return part;
}

/** Shows how something ended, in a place that screen readers announce. */
export function say(id: string, text: string, { isWrong = false } = {}): void {
  const place = partOf(id);
  place.textContent = text;
  place.classList.toggle('wrong', isWrong);
}
