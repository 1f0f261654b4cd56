import { askOnce } from './operator-service.ts';

/**
 * Posts text to an address configured by the operator, and resolves when it is accepted (2xx). The address is as
 * trusted as the configuration. Nothing that a caller sends can influence where this request goes.
 */
export async function postToOperatorEndpoint(url: string, body: string, contentType: string): Promise<void> {
  const { status } = await askOnce(url, { headers: { 'content-type': contentType }, body });
  if (status < 200 || status >= 300) throw new Error(`The endpoint responded with status ${status}.`);
}
