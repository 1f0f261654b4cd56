const hostNameLengthMax = 253;
/** Letters, digits, `-` and `_`, no `-` at either end. Each character has one place, so matching takes linear time. */
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Whether a text is a lower-case DNS name without a trailing dot. Says nothing about what it resolves to. */
export function isHostName(text: string): boolean {
  return text.length <= hostNameLengthMax && text.split('.').every((part) => label.test(part));
}

/**
 * Whether the last label is a number, decimal, octal or hexadecimal: URL parsers then read the whole name as an IPv4
 * address, `127.1` and `0x7f.1` included.
 */
export function endsInNumber(host: string): boolean {
  const last = host.split('.').at(-1) ?? '';
  return /^(?:\d+|0x[0-9a-f]*)$/.test(last);
}
