import type { DevelopmentVault } from '../../app/dev/development-vault.ts';

/** A command to paste into a terminal, with a title that says what it shows. */
export interface PasteLine {
  readonly title: string;
  readonly command: string;
}

type Shown = Pick<DevelopmentVault, 'url' | 'echoUrl' | 'mayCallEcho' | 'exampleId' | 'tenant'>;

const curl = `curl -sS -w '\\n'`;
const json = `-H 'Content-Type: application/json'`;

/**
 * Lists commands that show what a vault is for and need nothing but curl. The first three show the essentials: the
 * example card as most applications see it, as few applications see it, and the record of that access.
 */
export function listExamples(vault: Shown): PasteLine[] {
  const { url, echoUrl, mayCallEcho, exampleId = '', tenant } = vault;
  const { keys } = tenant;
  const as = (key: string) => `-H 'BT-API-KEY: ${key}'`;
  const card = '{"type":"card","data":{"number":"4000056655665556","expiration_month":8,"expiration_year":2031}}';
  const proxied = {
    title: 'Send it through the proxy to a destination that returns what it received',
    command: `${curl} ${url}/proxy/v1/charges ${as(keys.private)} -H 'BT-PROXY-URL: ${echoUrl}' ${json} -d '{"card":"{{ ${exampleId} }}"}'`,
  };
  return [
    {
      title: 'Read it masked, as most applications would',
      command: `${curl} ${url}/tokens/${exampleId} ${as(keys.private)}`,
    },
    {
      title: 'Reveal it with a key that may',
      command: `${curl} ${url}/tokens/${exampleId} ${as(keys.reveal)}`,
    },
    {
      title: 'Show the audit record of that',
      command: `${curl} '${url}/logs?entity_id=${exampleId}&size=1' ${as(keys.management)}`,
    },
    ...(mayCallEcho ? [proxied] : []),
    {
      title: 'Store another card',
      command: `${curl} ${url}/tokens ${as(keys.private)} ${json} -d '${card}'`,
    },
  ];
}
