import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateWebhookSecret, signWebhook } from '../../src/platform/keyring/webhooks/webhook-secret.ts';

// The guide shows how a receiver checks a signature in three languages. They must accept what the vault signs, and nothing
// else.

const guide = path.resolve(import.meta.dirname, '../../../docs/guides/webhooks');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-receivers-'));
});
afterAll(() => rm(folder, { recursive: true }));

const [secret, previous] = [generateWebhookSecret(), generateWebhookSecret()];
const body = '{"event":{"id":"1"}}';
const now = Math.floor(Date.now() / 1_000);
const message = (timestamp = now, sent = body) => ({
  headers: {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook([previous, secret], { id: 'msg_1', timestamp, body }),
  },
  body: sent,
});
const genuine = message();
/** Returns the text once for each of its bits, with that bit flipped. A header can hold any byte, as this text does. */
function flipped(text: string): string[] {
  return Array.from({ length: text.length * 8 }, (_, bit) => {
    const bytes = Buffer.from(text, 'latin1');
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return bytes.toString('latin1');
  });
}
const withHeader = (name: string, value: string) => ({ ...genuine, headers: { ...genuine.headers, [name]: value } });
// The message has a second signature, of the previous secret. Flips in that one change nothing.
const [earlier = '', own = ''] = genuine.headers['webhook-signature'].split(' ');
const forged = [
  message(now - 600),
  message(now + 600),
  { headers: {}, body },
  withHeader('webhook-timestamp', 'soon'),
  withHeader('webhook-timestamp', '9'.repeat(5_000)),
  withHeader('webhook-signature', earlier),
  ...flipped(body).map((sent) => ({ ...genuine, body: sent })),
  ...flipped(own).map((text) => withHeader('webhook-signature', text)),
  ...(['webhook-id', 'webhook-timestamp'] as const).flatMap((name) =>
    flipped(genuine.headers[name]).map((text) => withHeader(name, text)),
  ),
];
const cases = [genuine, ...forged];
const wanted = [true, ...forged.map(() => false)];

const languages = [
  {
    name: 'TypeScript',
    file: 'verify.ts',
    main: [
      'main.ts',
      `import { readFileSync } from 'node:fs';
      import { isFromVault } from './verify.ts';
      const { secret, cases } = JSON.parse(readFileSync('cases.json', 'utf8'));
      console.log(JSON.stringify(cases.map((one) => isFromVault(secret, one.headers, one.body))));`,
    ],
    command: [process.execPath, 'main.ts'],
  },
  {
    name: 'Python',
    file: 'verify.py',
    main: [
      'main.py',
      `import json
from verify import is_from_vault
given = json.load(open('cases.json', encoding='utf-8'))
print(json.dumps([is_from_vault(given["secret"], one["headers"], one["body"].encode()) for one in given["cases"]]))`,
    ],
    command: ['python3', 'main.py'],
  },
  {
    name: 'Go',
    file: 'verify.go',
    main: [
      'main.go',
      `package main
import ("encoding/json"; "fmt"; "os")
func main() {
	var given struct { Secret string; Cases []struct { Headers map[string]string; Body string } }
	text, _ := os.ReadFile("cases.json")
	json.Unmarshal(text, &given)
	results := []bool{}
	for _, one := range given.Cases { results = append(results, isFromVault(given.Secret, one.Headers, one.Body)) }
	told, _ := json.Marshal(results)
	fmt.Println(string(told))
}`,
    ],
    command: ['go', 'run', 'verify.go', 'main.go'],
  },
] as const;

it.each(languages)(
  'the receiver in $name accepts what the vault signs, and nothing else',
  async ({ file, main, command }) => {
    await writeFile(path.join(folder, file), await readFile(path.join(guide, file)));
    await writeFile(path.join(folder, main[0]), main[1]);
    const [program, ...parameters] = command;
    await writeFile(path.join(folder, 'cases.json'), JSON.stringify({ secret: secret.reveal(), cases }));
    const { stdout } = await promisify(execFile)(program, parameters, {
      cwd: folder,
      env: { ...process.env, GOCACHE: path.join(folder, 'cache'), GO111MODULE: 'off', PYTHONDONTWRITEBYTECODE: '1' },
    });
    expect(JSON.parse(stdout)).toEqual(wanted);
  },
  120_000,
);
