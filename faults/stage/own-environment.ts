/** Returns `PATH`, the only environment variable that other programs need. */
export function ownEnvironment(): { readonly PATH: string | undefined } {
  // oxlint-disable-next-line node/no-process-env -- This is the only place that reads it.
  return { PATH: process.env['PATH'] };
}
