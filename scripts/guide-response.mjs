/**
 * Compares what a block printed with the response that the page shows after it. Returns the first difference, or undefined
 * if there is none. In the shown response, `…` is any text, a value `"…"` is any value, a member `"…": "…"` is any further
 * members, and a last item `"…"` is any further items.
 */
export function findDifference({ language, shown, printed }) {
  if (language === 'text') return compareText(shown, printed);
  let value;
  try {
    value = JSON.parse(printed);
  } catch {
    return `printed no JSON document: ${JSON.stringify(printed.slice(0, 2_000))}`;
  }
  return compareValue(JSON.parse(shown), value, 'response');
}

function compareText(shown, printed) {
  const lines = printed.trim().split('\n');
  const wanted = shown.trim().split('\n');
  const at = wanted.findIndex((line, index) => !matches(line, lines[index]?.trimEnd()));
  if (at >= 0) return `printed "${lines[at] ?? 'nothing'}" instead of "${wanted[at]}"`;
  return lines.length > wanted.length ? `also printed "${lines[wanted.length]}"` : undefined;
}

function compareValue(shown, actual, place) {
  if (shown === '…') return undefined;
  if (typeof shown === 'string' && typeof actual === 'string')
    return matches(shown, actual) ? undefined : describe(shown, actual, place);
  if (Array.isArray(shown) && Array.isArray(actual)) return compareItems(shown, actual, place);
  if (isObject(shown) && isObject(actual)) return compareMembers(shown, actual, place);
  return shown === actual ? undefined : describe(shown, actual, place);
}

function compareItems(shown, actual, place) {
  const isOpen = shown.at(-1) === '…';
  const items = isOpen ? shown.slice(0, -1) : shown;
  if (isOpen ? actual.length < items.length : actual.length !== items.length)
    return `${place} has ${actual.length} items instead of ${items.length}`;
  return first(items.map((item, index) => compareValue(item, actual[index], `${place}[${index}]`)));
}

function compareMembers(shown, actual, place) {
  const names = Object.keys(shown).filter((name) => name !== '…');
  const unnamed = Object.keys(actual).find((name) => !names.includes(name));
  if (unnamed !== undefined && !('…' in shown)) return `${place} also has the member "${unnamed}"`;
  const missing = names.find((name) => !(name in actual));
  if (missing !== undefined) return `${place} does not have the member "${missing}"`;
  return first(names.map((name) => compareValue(shown[name], actual[name], `${place}.${name}`)));
}

function first(differences) {
  return differences.find((difference) => difference !== undefined);
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function matches(shown, actual) {
  if (actual === undefined) return false;
  const pattern = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${pattern.join('[^]*')}$`).test(actual);
}

function describe(shown, actual, place) {
  return `${place} is ${JSON.stringify(actual)} instead of ${JSON.stringify(shown)}`;
}
