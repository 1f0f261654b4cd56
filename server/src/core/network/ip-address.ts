/** An address as bytes: four for IPv4, sixteen for IPv6. An IPv4 address inside of IPv6 (`::ffff:a.b.c.d`) is the IPv4 one. */
export type IpAddress = readonly number[];

const groupsMax = 8;
const mappedPrefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** Reads an address in its usual spellings; undefined for anything else. A zone (`%eth0`) is left out. */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (text.length > 100) return undefined;
  if (!text.includes(':')) return parseIpv4(text);
  const [address = ''] = text.split('%', 1);
  const bytes = parseIpv6(address);
  return bytes !== undefined && mappedPrefix.every((byte, index) => bytes[index] === byte) ? bytes.slice(12) : bytes;
}

/** Decimal only, and no leading zeros: others read those as octal. */
function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes = parts.map((part) => (/^(0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256));
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

/** RFC 4291 §2.2: eight groups, one run of zeros as `::`, the last two groups perhaps as IPv4. */
function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = [parseGroups(halves[0] ?? '', halves.length === 1), parseGroups(halves[1] ?? '', true)];
  if (head === undefined || tail === undefined) return undefined;
  const missing = groupsMax * 2 - head.length - tail.length;
  const isWhole = halves.length === 1 ? missing === 0 : missing >= 2;
  return isWhole ? [...head, ...Array<number>(missing).fill(0), ...tail] : undefined;
}

function parseGroups(text: string, mayEndInIpv4: boolean): IpAddress | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    const isLast = index === groups.length - 1;
    const ipv4 = mayEndInIpv4 && isLast && group.includes('.') ? parseIpv4(group) : undefined;
    if (ipv4 !== undefined) bytes.push(...ipv4);
    else if (/^[0-9a-f]{1,4}$/i.test(group)) bytes.push(...splitGroup(Number.parseInt(group, 16)));
    else return undefined;
  }
  return bytes;
}

function splitGroup(group: number): [number, number] {
  return [group >> 8, group & 0xff];
}
