import { group, optionalSetting, setting, type ValueOf } from './reading.ts';
import { publicUrl } from './server-settings.ts';
import type { Reading } from './setting.ts';
import { isProtected, parsePort } from './setting-parsers.ts';

const url = setting('STRONGROOM_ELEMENTS_URL', parseOrigin, {
  expectation:
    'the HTTPS origin that card fields are served from, without a path; HTTP only on this machine, and never the origin of STRONGROOM_PUBLIC_URL',
  example: 'https://elements.example.com',
});

const given = group({
  url,
  /** The separate port of the origin. Without one, the `Host` of a request identifies the origin. */
  port: optionalSetting('STRONGROOM_ELEMENTS_PORT', parsePort, {
    expectation: 'a port from 0 to 65535 on which every request belongs to the origin of the card fields',
    example: '8083',
  }),
});
export type ElementsConfig = ValueOf<typeof given>;

/**
 * The origin of the card fields. Undefined if neither setting is set. Setting only the port is a mistake, which is
 * reported when the address is read.
 */
export const elements: Reading<ElementsConfig | undefined> = {
  settings: given.settings,
  read: (environment) => {
    if (!given.settings.some((setting) => setting.isSet(environment))) return undefined;
    const config = given.read(environment);
    const vaultUrl = publicUrl.find(environment);
    // Pages of the same origin can read each other, so the vault's pages could read the fields.
    if (vaultUrl !== undefined && new URL(vaultUrl).origin === config.url) {
      throw url.refusal(`has the same origin as ${publicUrl.variable}`);
    }
    return config;
  },
};

function parseOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  // An address with a path, a query or credentials would be longer than its origin.
  return isProtected(url) && url.href === `${url.origin}/` ? url.origin : undefined;
}
