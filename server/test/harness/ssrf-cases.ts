/**
 * A request to an internal address that must be refused, and the layer that must refuse it even if the other layer
 * fails.
 */
export interface SsrfCase {
  readonly name: string;
  readonly layer: 'url' | 'address' | 'header';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The addresses that the host of the URL resolves to, if it is a name that resolves. */
  readonly answers?: readonly string[];
}

/** The first address, the last address and one in between for each range that is not public. */
const refusedIpv4 = [
  ['0.0.0.0', '0.255.255.255', '0.0.0.1'],
  ['10.0.0.0', '10.255.255.255', '10.1.2.3'],
  ['100.64.0.0', '100.127.255.255', '100.100.100.200'],
  ['127.0.0.0', '127.255.255.255', '127.0.0.1'],
  ['168.63.129.16'],
  ['169.254.0.0', '169.254.255.255', '169.254.169.254', '169.254.170.2'],
  ['172.16.0.0', '172.31.255.255', '172.17.0.1'],
  ['192.0.0.0', '192.0.0.255', '192.0.0.192'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.31.196.0', '192.31.196.255'],
  ['192.52.193.0', '192.52.193.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255', '192.168.1.1'],
  ['192.175.48.0', '192.175.48.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255', '224.0.0.251'],
  ['240.0.0.0', '255.255.255.254', '255.255.255.255'],
].flat();

/** IPv6 addresses that embed an IPv4 address, or that are outside the public internet. */
const refusedIpv6 = [
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '::127.0.0.1',
  '::8.8.8.8',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a00:1',
  '100::1',
  '100:0:0:1::1',
  '1fff:ffff::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:80ff:fffe',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:1ff:ffff::1',
  '2001:db8::1',
  '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
  '2002:7f00:1::1',
  '2002:a00:1::1',
  '2002:ffff:ffff::1',
  '2620:4f:8000::1',
  '3fff::1',
  '3fff:fff:ffff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff:ffff::1',
  'fe80::1',
  'fe80::5efe:7f00:1',
  'febf:ffff::1',
  'fec0::1',
  'ff02::1',
  'ff0e::1',
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
];

const publicIpv4 = '93.184.215.14';
const publicIpv6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';

/** Returns cases beyond the corpus. The vault may call `port`, and the canary listens there. */
export function listSsrfCases(port: number): SsrfCase[] {
  return [
    ...[...refusedIpv4, ...refusedIpv6].map((address) => resolving(`leads to ${address}`, [address], port)),
    ...mixedAnswers.map((answers) => resolving(`leads to ${answers.join(' and ')}`, answers, port)),
    ...chains(port),
    ...literals(port),
    ...ports(port),
    ...schemes(port),
    ...authorities(port),
    ...connections(port),
  ];
}

const mixedAnswers: readonly (readonly string[])[] = [
  [publicIpv4, '127.0.0.1'],
  ['127.0.0.1', publicIpv4],
  [publicIpv4, publicIpv4, '10.0.0.1'],
  [publicIpv4, '169.254.169.254'],
  [publicIpv4, '0.0.0.0'],
  [publicIpv4, '255.255.255.255'],
  [publicIpv4, '::1'],
  [publicIpv4, '::ffff:127.0.0.1'],
  [publicIpv4, 'fd00::1'],
  [publicIpv4, publicIpv6, '::1'],
  [publicIpv6, '127.0.0.1'],
  [publicIpv6, '::1'],
  ['::1', publicIpv6],
  [publicIpv6, 'fe80::1'],
  [publicIpv6, '2002:7f00:1::1'],
  [publicIpv6, publicIpv4, '192.168.0.1'],
];

let count = 0;
function resolving(name: string, answers: readonly string[], port: number): SsrfCase {
  count += 1;
  return { name, layer: 'address', url: `https://case-${count}.attacker.example:${port}/`, answers };
}

/**
 * Returns names that point to other names, which lead to internal addresses. The test's resolver follows them like a
 * real one.
 */
function chains(port: number): SsrfCase[] {
  return ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00:ec2::254', '::ffff:127.0.0.1'].flatMap((inside) => [
    resolving(`is another name of chain-1, which leads to ${inside}`, [`chain-1.to-${toLabel(inside)}.example`], port),
    resolving(`is three names away from ${inside}`, [`chain-3.to-${toLabel(inside)}.example`], port),
  ]);
}

/** Returns the names that the chains pass through. */
export function chainNames(): [string, string[]][] {
  return ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00:ec2::254', '::ffff:127.0.0.1'].flatMap((inside) => {
    const at = (step: number) => `chain-${step}.to-${toLabel(inside)}.example`;
    return [
      [at(3), [at(2)]],
      [at(2), [at(1)]],
      [at(1), [inside]],
    ] as [string, string[]][];
  });
}

const toLabel = (address: string) => address.replaceAll(/[.:]+/g, '-').replaceAll(/^-|-$/g, '');

function literals(port: number): SsrfCase[] {
  const hosts = [
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '0177.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0',
    '00000000',
    '127.0.0.1.',
    '127.00000000000000001',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[fe80::1]',
    '[fe80::1%25lo]',
    '[v1.127.0.0.1]',
    '8.8.8.8',
    '[2606:4700:4700::1111]',
    '1.2.3.4.5',
    'example.com.127',
    'example.0x7f',
  ];
  return hosts.map((host) => ({ name: `literal ${host}`, layer: 'url', url: `https://${host}:${port}/` }));
}

function ports(port: number): SsrfCase[] {
  const wrong = '0 1 22 25 80 444 3306 5432 6379 8080 65535 65536 99999 0443 +443 -443 443.0 0x1bb 4e2 443443 443:443';
  return wrong
    .split(' ')
    .filter((text) => text !== String(port))
    .map((text) => ({
      name: `port ${text}`,
      layer: 'url',
      url: `https://inside.attacker.example:${text}/`,
      answers: ['127.0.0.1'],
    }));
}

function schemes(port: number): SsrfCase[] {
  const place = `inside.attacker.example:${port}`;
  return [
    `http://${place}/`,
    `HTTP://${place}/`,
    `httpss://${place}/`,
    `https:${place}/`,
    `https:/${place}/`,
    `https:///${place}/`,
    `https:////${place}/`,
    `https:\\\\${place}/`,
    `https:/\\${place}/`,
    `https//${place}/`,
    `://${place}/`,
    `//${place}/`,
    `${place}/`,
    `/${place}`,
    `%20https://${place}/`,
    `"https://${place}/"`,
    `https ://${place}/`,
    `https://https://${place}/`,
    `ws://${place}/`,
    `wss://${place}/`,
    `ftp://${place}/`,
    `gopher://${place}/`,
    `file://${place}/etc/passwd`,
    `view-source:https://${place}/`,
    `url:https://${place}/`,
    'https://',
    'https:///',
    'https://?',
    'https://#',
    'https',
  ].map((url) => ({ name: `form ${url}`, layer: 'url', url, answers: ['127.0.0.1'] }));
}

function authorities(port: number): SsrfCase[] {
  const hosts = [
    'user@inside.attacker.example',
    'user:password@inside.attacker.example',
    '@inside.attacker.example',
    'good.example\\@inside.attacker.example',
    'good.example%40inside.attacker.example',
    'inside.attacker.example.',
    'inside.attacker.example..',
    '.inside.attacker.example',
    'inside..attacker.example',
    'inside.attacker.example%00',
    'inside.attacker.example%2f',
    'in side.attacker.example',
    'inside.attacker.example;good.example',
    'inside.attacker.example,good.example',
    'ins%69de.attacker.example',
    'inside.attacker.ex\u00e4mple',
    '-inside.attacker.example',
    'inside-.attacker.example',
    `${'a'.repeat(64)}.attacker.example`,
    `${'a.'.repeat(126)}example`,
    '{{ id }}.attacker.example',
    '{{id}}',
    'localhost',
    'foo.localhost',
    'printer.local',
    'vault.internal',
    'metadata.google.internal',
    'kubernetes.default.svc',
    'db.lan',
    'intranet',
    'host.corp',
    '1.0.0.127.in-addr.arpa',
    '*.attacker.example',
    '[inside.attacker.example]',
  ];
  const named = hosts.map((host) => ({ name: `host ${host}`, layer: 'url' as const, url: `https://${host}:${port}/` }));
  return [
    ...named,
    { name: 'a fragment', layer: 'url', url: `https://inside.attacker.example:${port}/#@good.example` },
    { name: 'a fragment at once', layer: 'url', url: `https://inside.attacker.example:${port}#/` },
  ];
}

/** Returns cases with an allowed destination but forbidden connection headers. */
function connections(port: number): SsrfCase[] {
  const url = `https://fine.attacker.example:${port}/`;
  const told = (header: string, values: readonly string[]): SsrfCase[] =>
    values.map((value) => ({ name: `${header}: ${value}`, layer: 'header', url, headers: { [header]: value } }));
  return [
    ...told('bt-proxy-connection', [
      'upgrade',
      'Upgrade',
      'keep-alive, upgrade',
      'close, content-length',
      'content-length',
      'transfer-encoding',
      'host',
      'authorization',
      'keep-alive, host',
      'te',
      'close;',
      'close, close',
      'keep-alive keep-alive',
      '"close"',
      '{{ id }}',
      'x'.repeat(300),
    ]),
    ...told('bt-proxy-keep-alive', [
      'timeout',
      'timeout=',
      'timeout=-1',
      'timeout=1e9',
      'timeout=5; max=1',
      'timeout=5, max=1, timeout=5',
      'timeout=12345678901234567890',
      'max=1, upgrade',
      'x=1',
      '{{ id }}',
      'timeout="5"',
    ]),
  ];
}
