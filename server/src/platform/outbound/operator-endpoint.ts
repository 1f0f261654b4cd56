import { askOnce } from './operator-service.ts';

/**
 * Posts text to an address that the operator configured, and resolves when it was accepted (2xx). The address is trusted
 * as the configuration is; nothing that a caller sends ever decides where this goes.
 */
export async function postToOperatorEndpoint(url: string, body: string, contentType: string): Promise<void> {
  const { status } = await askOnce(url, { headers: { 'content-type': contentType }, body });
  if (status < 200 || status >= 300) throw new Error(`The endpoint responded with status ${status}.`);
}
