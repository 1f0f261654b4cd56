/** Suffixes that a name must not have, because the generator adds them. */
const suffixes = {
  endpoint: /-(?:endpoint|routes?|service)$/,
  page: /-page$/,
  'token-type': /(?:-token)?-type$|-token$/,
};

/** Returns what is wrong with a name, or undefined. */
export function findNameProblem(kind, name) {
  if (!isKebabCase(name)) {
    const problem = `"${name}" is not a name in kebab-case: use lower-case letters and digits, with single dashes between words`;
    const similar = toKebabCase(name);
    return isKebabCase(similar) ? `${problem}, for example "${similar}".` : `${problem}.`;
  }
  if (name.length > 40) return `The name has ${name.length} characters. Use at most 40.`;
  if (suffixes[kind].test(name)) return `Leave out the ending: "${name.replace(suffixes[kind], '')}" is enough.`;
  if (kind === 'endpoint' && /(?<!s)s$/.test(name)) return `Use the singular: the path gets the plural of "${name}".`;
  return undefined;
}

function isKebabCase(name) {
  return /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name);
}

function toKebabCase(name) {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** Returns the forms of a name that templates use, for example `@Type@` for the name of a class. */
export function toForms(name) {
  const plural = toPlural(name);
  const words = toWords(name);
  return {
    file: name,
    files: plural,
    Type: toPascal(name),
    Types: toPascal(plural),
    value: toCamel(name),
    values: toCamel(plural),
    column: name.replaceAll('-', '_'),
    table: plural.replaceAll('-', '_'),
    words,
    plural: toWords(plural),
    Title: capitalize(words),
    Plural: capitalize(toWords(plural)),
    article: withArticle(words),
    Article: capitalize(withArticle(words)),
  };
}

/** Replaces the placeholders in a text, each of which is the name of a form between two `@`. */
export function fillIn(text, forms) {
  return text.replaceAll(/@(\w+)@/g, (whole, form) => forms[form] ?? whole);
}

function toPlural(name) {
  if (/[^aeiou]y$/.test(name)) return name.replace(/y$/, 'ies');
  return /(?:s|x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}

function toPascal(name) {
  return name.split('-').map(capitalize).join('');
}

function toCamel(name) {
  const pascal = toPascal(name);
  return pascal[0].toLowerCase() + pascal.slice(1);
}

function toWords(name) {
  return name.replaceAll('-', ' ');
}

function withArticle(words) {
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
}

function capitalize(text) {
  return text[0].toUpperCase() + text.slice(1);
}
