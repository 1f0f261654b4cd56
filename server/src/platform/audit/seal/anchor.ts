import { open } from 'node:fs/promises';
import { postToOperatorEndpoint } from '../../outbound/operator-endpoint.ts';
import { type SignedCheckpoint, toCheckpointJson } from './checkpoint.ts';

/** A second location for checkpoints, out of reach of anyone who can write to the database. */
export interface Anchor {
  readonly name: string;
  /** Resolves when the checkpoints are stored. */
  append(checkpoints: readonly SignedCheckpoint[]): Promise<void>;
}

/** Returns an anchor that appends to a file, ideally on another volume or one that is append-only. */
export function fileAnchor(path: string): Anchor {
  // A full disk or a crash may have left an incomplete line, which must not corrupt the next one. An empty line is
  // ignored.
  let isLineOpen = true;
  return {
    name: 'file',
    async append(checkpoints) {
      const file = await open(path, 'a', 0o640);
      try {
        const text = `${isLineOpen ? '\n' : ''}${toLines(checkpoints)}`;
        isLineOpen = true;
        await file.writeFile(text);
        await file.datasync();
        isLineOpen = false;
      } finally {
        await file.close();
      }
    },
  };
}

/** Returns an anchor that sends lines of JSON to an HTTPS address by POST. */
export function httpsAnchor(url: string): Anchor {
  return {
    name: 'https',
    append: (checkpoints) => postToOperatorEndpoint(url, toLines(checkpoints), 'application/x-ndjson'),
  };
}

function toLines(checkpoints: readonly SignedCheckpoint[]): string {
  return checkpoints.map((checkpoint) => `${JSON.stringify(toCheckpointJson(checkpoint))}\n`).join('');
}
