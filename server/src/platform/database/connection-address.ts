/**
 * The address of a database without `application_name`, which would take precedence over the name that we give our connections. Whoever
 * moves tokens knows a process by that name.
 */
export function withoutApplicationName(url: string): string {
  const start = url.indexOf('?');
  if (start < 0) return url;
  const settings = url.slice(start + 1).split('&');
  const kept = settings.filter((setting) => !new URLSearchParams(setting).has('application_name'));
  return kept.length === settings.length ? url : [url.slice(0, start), kept.join('&')].filter(Boolean).join('?');
}
