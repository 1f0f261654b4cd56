/** Of the environment of this program, what others need to be found and to run: nothing but the path. */
export function ownEnvironment(): { readonly PATH: string | undefined } {
  // oxlint-disable-next-line node/no-process-env -- the one place that reads it.
  return { PATH: process.env['PATH'] };
}
