import { keyIdOf } from '../../protocol/frame-address.ts';
import { isRecord, readInteger, readText } from '../../protocol/parse.ts';
import { FrameLink } from '../frame-link.ts';
import { JoinedFields } from './joined-fields.ts';
import { KeptValues } from './kept-values.ts';
import { readCall } from './read-call.ts';
import { Services } from './services.ts';
import { UsedNumbers } from './used-numbers.ts';

/**
 * The hidden frame of an instance. No other frame knows the key or calls the vault. This frame requests the values for
 * its calls from the fields.
 */
const kept = new KeptValues();
const used = new UsedNumbers();
const fields = new JoinedFields(
  () => link,
  (digits) => void used.add([digits]),
);
let services: Services | undefined;

const link = FrameLink.open({ onCommand: obey, onSibling: (message, source) => fields.hear(message, source) });
link?.report({ kind: 'hello' });

function obey(command: Readonly<Record<string, unknown>>): void {
  const element = readText(command['element'], 10);
  switch (command['kind']) {
    case 'setup':
      setUp(command['key']);
      return;
    case 'call':
      void call(command);
      return;
    case 'fill': {
      const value = kept.find(command['value']);
      if (element !== undefined && value !== undefined) fields.fill(element, value);
      return;
    }
    case 'link': {
      const [from, to] = [readText(command['from'], 10), readText(command['to'], 10)];
      if (from !== undefined && to !== undefined) fields.follow({ from, to });
      return;
    }
    case 'forget':
      if (element !== undefined) fields.forget(element);
  }
}

/** Sets up the frame. The key must be the one for which the vault allowed the page to embed this frame. */
function setUp(given: unknown): void {
  const key = readText(given, 200);
  const allowed = new URLSearchParams(location.search).get('key');
  if (services !== undefined) return;
  if (key === undefined || keyIdOf(key) === undefined || keyIdOf(key) !== allowed) {
    link?.report({ kind: 'refused', reason: 'Elements need the key of a public application, or of a session.' });
    return;
  }
  services = new Services({ key, fields, kept, used });
  link?.report({ kind: 'ready' });
}

async function call(command: Readonly<Record<string, unknown>>): Promise<void> {
  const id = readInteger(command['id'], { min: 0, max: Number.MAX_SAFE_INTEGER });
  const read = isRecord(command['call']) ? readCall(command['call']) : undefined;
  if (services === undefined || id === undefined || read === undefined) return;
  link?.report({ kind: 'result', id, outcome: await services.call(read) });
}
