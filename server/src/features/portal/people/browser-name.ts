/** Names of browsers, by what they call themselves. Many also call themselves like the ones below. */
const programs: readonly (readonly [mark: string, name: string])[] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const systems: readonly (readonly [mark: string, name: string])[] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Macintosh', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
];

/**
 * Returns a name such as `Firefox on Linux` for a `User-Agent`, or undefined for one that is not known. The header can
 * contain anything, so no part of it is returned.
 */
export function nameBrowser(userAgent: string | undefined): string | undefined {
  if (userAgent === undefined) return undefined;
  const [program, system] = [programs, systems].map((names) => names.find(([mark]) => userAgent.includes(mark))?.[1]);
  if (program === undefined) return undefined;
  return system === undefined ? program : `${program} on ${system}`;
}
