const hostNameLengthMax = 253;
/**
 * Letters, digits, `-` and `_`, with no `-` at either end. Each character can match in only one way, so matching takes
 * linear time.
 */
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Returns true if a text is a lower-case DNS name without a trailing dot. This says nothing about what it resolves to.
 */
export function isHostName(text: string): boolean {
  return text.length <= hostNameLengthMax && text.split('.').every((part) => label.test(part));
}

/**
 * Returns true if the last label is a decimal, octal or hexadecimal number. URL parsers then read the whole name as an
 * IPv4 address, even `127.1` and `0x7f.1`.
 */
export function endsInNumber(host: string): boolean {
  const last = host.split('.').at(-1) ?? '';
  return /^(?:\d+|0x[0-9a-f]*)$/.test(last);
}
