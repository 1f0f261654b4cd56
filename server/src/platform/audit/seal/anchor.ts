import { open } from 'node:fs/promises';
import { postToOperatorEndpoint } from '../../outbound/operator-endpoint.ts';
import { type SignedCheckpoint, toCheckpointJson } from './checkpoint.ts';

/** A second place for checkpoints, out of reach of anyone who can write to the database. */
export interface Anchor {
  readonly name: string;
  /** Resolves once they are kept there. */
  append(checkpoints: readonly SignedCheckpoint[]): Promise<void>;
}

/** A file, best on another volume or one that can only be appended to. */
export function fileAnchor(path: string): Anchor {
  // What a full disk or a crash cut off must not spoil the line after it; an empty line says nothing.
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

/** An HTTPS address that takes lines of JSON by POST. */
export function httpsAnchor(url: string): Anchor {
  return {
    name: 'https',
    append: (checkpoints) => postToOperatorEndpoint(url, toLines(checkpoints), 'application/x-ndjson'),
  };
}

function toLines(checkpoints: readonly SignedCheckpoint[]): string {
  return checkpoints.map((checkpoint) => `${JSON.stringify(toCheckpointJson(checkpoint))}\n`).join('');
}
