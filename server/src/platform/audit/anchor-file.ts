import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isGenuine, parseCheckpointJson, type SignedCheckpoint } from './checkpoint.ts';

/** What a second place knows, as far as this vault signed it. */
export interface AnchorContent {
  /** The newest checkpoint of each tenant: its root covers all before it. */
  readonly newest: ReadonlyMap<string, SignedCheckpoint>;
  /** Lines that are no checkpoint of this vault. The last line may be one that a crash cut off. */
  readonly foreignLines: number;
}

export const noAnchor: AnchorContent = { newest: new Map(), foreignLines: 0 };

export async function readAnchorFile(path: string, publicKey: Buffer): Promise<AnchorContent> {
  const newest = new Map<string, SignedCheckpoint>();
  let foreignLines = 0;
  for await (const line of createInterface({ input: createReadStream(path, 'utf8') })) {
    const checkpoint = parseLine(line);
    const known = checkpoint === undefined ? undefined : newest.get(checkpoint.tenantId);
    // An older one says nothing more; checking its signature would take longer than reading the log.
    if (checkpoint !== undefined && checkpoint.number <= (known?.number ?? 0)) continue;
    if (checkpoint !== undefined && isGenuine(checkpoint, publicKey)) newest.set(checkpoint.tenantId, checkpoint);
    else foreignLines += 1;
  }
  return { newest, foreignLines };
}

function parseLine(line: string): SignedCheckpoint | undefined {
  try {
    return parseCheckpointJson(JSON.parse(line));
  } catch {
    return undefined;
  }
}
