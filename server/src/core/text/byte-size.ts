/** Formats a limit for use in a sentence. */
export function inMebibytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MiB`;
}
