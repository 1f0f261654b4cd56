import type { BenchVault } from './bench-vault.ts';
import { customerOf, emailOf, tokenIdOf, tokenOf } from './fill.ts';
import type { Operations } from './measure-in-turn.ts';

/** A vault that was filled with `size` tokens. */
export interface FilledVault {
  readonly vault: BenchVault;
  readonly size: number;
}

let made = 0;
const any = (size: number) => Math.floor(Math.random() * size);
const anyToken = ({ size }: FilledVault) => `/tokens/${tokenIdOf(any(size))}`;
const managed = ({ vault }: FilledVault, path: string) => vault.request('GET', path, undefined, vault.managementKey);

async function make({ vault, size }: FilledVault): Promise<string> {
  made += 1;
  // The vault chooses a random id, which can land anywhere in the index.
  const body = { ...tokenOf(size + made), id: undefined };
  const { id } = JSON.parse(await vault.request('POST', '/tokens', body)) as { id: string };
  return id;
}

const doomed = new Map<FilledVault, string[]>();

/** Creates the tokens that are deleted later, before the measurement starts. */
export async function makeDoomed(subject: FilledVault, count: number): Promise<void> {
  doomed.set(subject, await Promise.all(Array.from({ length: count }, () => make(subject))));
}

/** Every kind of request that uses tokens or the log. */
export const growthOperations: Operations<FilledVault> = {
  'create a token': make,
  'get a token': (subject) => subject.vault.request('GET', anyToken(subject)),
  'patch a token': (subject) =>
    subject.vault.request('PATCH', anyToken(subject), { metadata: { note: String(Math.random()) } }),
  'delete a token': (subject) => subject.vault.request('DELETE', `/tokens/${doomed.get(subject)?.pop()}`),
  'list, page 1': ({ vault }) => vault.request('GET', '/tokens?size=20'),
  'list, page 400': ({ vault }) => vault.request('GET', '/tokens?page=400&size=20'),
  'list by cursor': ({ vault }) => vault.request('GET', '/v2/tokens?size=20'),
  'list by metadata': ({ vault, size }) => vault.request('GET', `/tokens?metadata.customer=${customerOf(any(size))}`),
  'list by container': ({ vault }) => vault.request('GET', '/tokens?container=/general/*&size=20'),
  'search by index': ({ vault, size }) =>
    vault.request('POST', '/tokens/search', { query: `data:"${emailOf(any(size))}"` }),
  'tokenize 10 values': ({ vault }) =>
    vault.request(
      'POST',
      '/tokenize',
      Array.from({ length: 10 }, () => `value ${Math.random()}`),
    ),
  'detokenize 10 values': ({ vault, size }) =>
    vault.request(
      'POST',
      '/detokenize',
      Array.from({ length: 10 }, () => `{{ ${tokenIdOf(any(size))} }}`),
    ),
  'logs, page 1': (subject) => managed(subject, '/logs'),
  'logs of a token': (subject) => managed(subject, `/logs?entity_id=${tokenIdOf(any(subject.size))}`),
  'count of tokens': (subject) => managed(subject, '/tenants/self/reports/usage'),
};
