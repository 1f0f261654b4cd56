import type { SampleRequest } from './sample-requests.ts';

const note = 'Written from the description of the API: npm run docs:reference.';
const variables = { url: 'http://localhost:8080', private_key: '', management_key: '' };

/** Returns the files below examples/requests by their name. */
export function toRequestFiles(requests: readonly SampleRequest[]): Record<string, string> {
  const tags = [...new Set(requests.map(({ tag }) => tag))];
  const byTag = tags.map((tag) => ({ tag, requests: requests.filter((request) => request.tag === tag) }));
  const httpFiles = byTag.map(({ tag, requests }) => [`${toFileName(tag)}.http`, toHttpFile(requests)]);
  return { ...Object.fromEntries(httpFiles), 'strongroom.postman_collection.json': toCollection(byTag) };
}

/** Returns a file for the REST clients of VS Code and JetBrains. */
function toHttpFile(requests: readonly SampleRequest[]): string {
  const head = [`# ${note}`, ...Object.entries(variables).map(([name, value]) => `@${name} = ${value}`)].join('\n');
  return `${head}\n\n${requests.map(toHttpRequest).join('\n')}`;
}

function toHttpRequest({ title, method, path, key, headers, body }: SampleRequest): string {
  const lines = [`### ${title}`, `${method} {{url}}${path}`, `BT-API-KEY: {{${key}}}`];
  lines.push(...Object.entries(headers).map(([name, value]) => `${name}: ${value}`));
  if (body !== undefined) lines.push('', JSON.stringify(body, undefined, 2));
  return `${lines.join('\n')}\n`;
}

/** Returns a collection in version 2.1 of the format of Postman, which Bruno, Insomnia and Hoppscotch import too. */
function toCollection(byTag: readonly { readonly tag: string; readonly requests: readonly SampleRequest[] }[]): string {
  const collection = {
    info: {
      name: 'Strongroom',
      description: note,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value, type: 'string' })),
    item: byTag.map(({ tag, requests }) => ({ name: tag, item: requests.map(toItem) })),
  };
  return `${JSON.stringify(collection, undefined, 1)}\n`;
}

function toItem({ title, method, path, key, headers, body }: SampleRequest): unknown {
  const all = { 'BT-API-KEY': `{{${key}}}`, ...headers };
  const header = Object.entries(all).map(([name, value]) => ({ key: name, value }));
  const request = { method, header, url: `{{url}}${path}` };
  if (body === undefined) return { name: title, request };
  return { name: title, request: { ...request, body: { mode: 'raw', raw: JSON.stringify(body, undefined, 2) } } };
}

function toFileName(tag: string): string {
  return tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
