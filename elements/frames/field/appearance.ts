import type { StyleRules, StyleVariants } from '../../protocol/field-options.ts';

/**
 * CSS properties that a page may set. None of them can load anything, cover another element, or depend on the value.
 */
const properties = new Set(
  [
    'alignItems backgroundColor border borderBottom borderColor borderLeft borderRadius borderRight borderStyle borderTop',
    'borderWidth boxShadow caretColor color cursor fontFamily fontSize fontStyle fontVariant fontWeight gap height',
    'letterSpacing lineHeight margin opacity outline padding textAlign textDecoration textShadow textTransform transition width',
    'fontSmooth fontVariantNumeric direction minHeight maxHeight minWidth maxWidth justifyContent display',
  ]
    .join(' ')
    .split(' '),
);
const alternates: Readonly<Record<string, readonly string[]>> = {
  fontSmooth: ['-webkit-font-smoothing', '-moz-osx-font-smoothing'],
};
const selectors = new Set([':hover', ':focus', ':active', ':disabled', ':read-only', '::placeholder', '::selection']);
const targets: Readonly<Record<string, string>> = {
  base: 'input, .button',
  container: 'body',
  complete: '.complete input',
  invalid: ".invalid input[aria-invalid='true']",
  empty: '.empty input',
};
/** CSS functions that could load a resource or read a property that somebody else sets. */
const forbidden = /url\s*\(|image|src\s*\(|var\s*\(|env\s*\(|attr\s*\(|expression|\\|@/i;

/**
 * Converts the page's style to a style sheet. Values are set individually, so that none can close its rule and open
 * another.
 */
export function createSheet(style: StyleVariants): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  for (const [variant, selector] of Object.entries(targets)) {
    const rules = style[variant];
    if (rules !== undefined) addRules(sheet, selector, rules);
  }
  return sheet;
}

function addRules(sheet: CSSStyleSheet, selector: string, rules: StyleRules): void {
  const own = Object.entries(rules).filter((rule): rule is [string, string] => typeof rule[1] === 'string');
  addRule(sheet, selector, Object.fromEntries(own));
  for (const [name, nested] of Object.entries(rules)) {
    if (typeof nested !== 'object' || !selectors.has(name)) continue;
    const states = selector.split(', ').map((part) => `${part}${name}`);
    addRule(sheet, states.join(', '), nested);
  }
}

function addRule(sheet: CSSStyleSheet, selector: string, values: Readonly<Record<string, string>>): void {
  const index = sheet.insertRule(`${selector} {}`, sheet.cssRules.length);
  const rule = sheet.cssRules[index];
  if (!(rule instanceof CSSStyleRule)) return;
  for (const [name, value] of Object.entries(values)) {
    if (!properties.has(name) || forbidden.test(value)) continue;
    for (const property of alternates[name] ?? [toCssName(name)]) rule.style.setProperty(property, value);
  }
}

function toCssName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
