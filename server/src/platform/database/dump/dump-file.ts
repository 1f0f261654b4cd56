import { lstat, open, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

const archiveMagic = 'PGDMP';
const gzipMagic = '\x1f\x8b';
const makeArchive = 'Create an archive instead: pg_dump --format=custom --file=vault.dump <address>';
/** The width of a number in the table of contents, on every platform that PostgreSQL supports. */
const tocNumberBytes = 4;
const tocBytesMax = 256 * 1024 * 1024;
const leadsOutside = `The dump is a directory that refers to files outside it. ${makeArchive}`;

export interface DumpFile {
  /** An absolute path, because the programs that read it run in another directory. */
  readonly path: string;
  readonly sizeBytes: number;
}

/**
 * Finds a pg_dump archive in custom, directory or tar format. pg_restore can unpack those without executing anything.
 * Plain SQL has to be executed, so it is rejected regardless of the file name.
 */
export async function findDumpFile(given: string): Promise<DumpFile> {
  const dump = path.resolve(given);
  const found = await stat(dump).catch((error: unknown) => {
    throw new Error('The dump cannot be read. Check its name and permissions.', { cause: error });
  });
  if (found.isDirectory()) return { path: dump, sizeBytes: await requireArchiveDirectory(dump) };
  if (!found.isFile()) throw new Error(`The dump is neither a file nor a directory. ${makeArchive}`);
  const head = await readHead(dump);
  if (head.startsWith(gzipMagic)) throw new Error('The dump is compressed with gzip. Unpack it first with gunzip.');
  // A tar archive written by pg_dump begins with the name of its table of contents.
  if (!head.startsWith(archiveMagic) && !head.startsWith('toc.dat\0')) {
    throw new Error(
      `The dump is not a pg_dump archive. Plain SQL is not accepted, because restoring it would execute any statement in it. ${makeArchive}`,
    );
  }
  return { path: dump, sizeBytes: found.size };
}

async function readHead(dump: string): Promise<string> {
  const file = await open(dump);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * Checks an archive directory. Its table of contents names the files to read, so none of the names may lead out of the
 * directory.
 */
async function requireArchiveDirectory(dump: string): Promise<number> {
  const names = await readdir(dump);
  const entries = await Promise.all(names.map((name) => lstat(path.join(dump, name))));
  if (!entries.every((entry) => entry.isFile())) throw new Error(leadsOutside);
  const tocBytes = entries[names.indexOf('toc.dat')]?.size ?? 0;
  const toc = tocBytes <= tocBytesMax ? await readFile(path.join(dump, 'toc.dat')).catch(() => undefined) : undefined;
  // The header consists of the magic word, three version bytes and the width of a number.
  if (toc?.toString('latin1', 0, 5) !== archiveMagic || toc[8] !== tocNumberBytes) {
    throw new Error(`The dump is a directory that was not written by pg_dump --format=directory. ${makeArchive}`);
  }
  if (namesOutside(toc)) throw new Error(leadsOutside);
  return entries.reduce((total, { size }) => total + size, 0);
}

/**
 * Returns true if the table of contents names a file outside the directory. Texts are stored there as a sign byte of 0,
 * the length, and the bytes. Names of data files are appended to the path of the directory, which contains only files,
 * so a name that leads out begins with nothing but dots and slashes.
 */
function namesOutside(toc: Buffer): boolean {
  for (let begin = 0; begin < toc.length; begin += 1) {
    if (!isDotOrSlash(toc[begin])) continue;
    let end = begin;
    while (isDotOrSlash(toc[end])) end += 1;
    // A text of plausible length begins at the start of the run, because the length field cannot end in a dot or a
    // slash.
    const lengthAt = begin - tocNumberBytes;
    const hasHead = lengthAt > 0 && toc[lengthAt - 1] === 0;
    const textEnd = hasHead ? begin + toc.readUInt32LE(lengthAt) : 0;
    if (textEnd <= toc.length && toc.subarray(begin, Math.min(end, textEnd)).includes('..')) return true;
    begin = end;
  }
  return false;
}

function isDotOrSlash(byte: number | undefined): boolean {
  return byte === 0x2e || byte === 0x2f;
}
