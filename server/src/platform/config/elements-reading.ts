import { elementsPort, elementsUrl } from './elements-settings.ts';
import { allOf, optional, type Reading, required } from './reading.ts';
import type { Outcome, SettingSource } from './setting-source.ts';
import { publicUrl } from './settings.ts';

/** The origin of the card fields. */
export interface ElementsConfig {
  readonly url: string;
  /** The separate port of the origin. Without one, the `Host` of a request identifies the origin. */
  readonly port: number | undefined;
}

const given = allOf<ElementsConfig>({ url: required(elementsUrl), port: optional(elementsPort) });

/**
 * Reads the origin of the card fields. Undefined if neither setting is set. Setting only the port is a mistake, which
 * is reported when the address is read.
 */
export const elements: Reading<ElementsConfig | undefined> = (source) => {
  if (!source.has(elementsUrl) && !source.has(elementsPort)) return { value: undefined };
  return refuseSharedOrigin(given(source), source);
};

/**
 * Rejects an origin that the vault itself uses. Pages of the same origin can read each other, so the vault's pages
 * could read the fields.
 */
function refuseSharedOrigin(outcome: Outcome<ElementsConfig>, source: SettingSource): Outcome<ElementsConfig> {
  const vault = source.has(publicUrl) ? source.read(publicUrl) : { problems: [] };
  if ('problems' in outcome || 'problems' in vault || new URL(vault.value).origin !== outcome.value.url) return outcome;
  const { variable, expectation, example } = elementsUrl;
  const problem = `has the same origin as ${publicUrl.variable}`;
  return { problems: [{ variable, kind: 'invalid', problem, expectation, example }] };
}
