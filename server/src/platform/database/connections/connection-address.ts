/**
 * Removes `application_name` from a database address, because the driver would prefer it to the name that the vault
 * sets. Other processes recognise a connection by its name: a root key rotation looks for servers that lack the new
 * key.
 */
export function withoutApplicationName(url: string): string {
  const start = url.indexOf('?');
  if (start < 0) return url;
  const settings = url.slice(start + 1).split('&');
  const kept = settings.filter((setting) => !new URLSearchParams(setting).has('application_name'));
  return kept.length === settings.length ? url : [url.slice(0, start), kept.join('&')].filter(Boolean).join('?');
}
