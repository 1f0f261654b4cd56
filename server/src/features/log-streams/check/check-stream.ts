import { access } from 'node:fs/promises';
import { OperatorError } from '../../../core/errors/operator-error.ts';
import { compareWithAnchor } from '../../../platform/audit/verify/anchor-comparison.ts';
import type { Finding } from '../../../platform/audit/verify/log-verifier.ts';
import { readLines } from '../../../platform/files/line-reader.ts';
import { parseStreamLine, type ReceivedLine } from './parse-line.ts';
import { TenantCheck, type TenantStreamVerdict } from './tenant-check.ts';

/**
 * The records and checkpoints of all tenants that may wait for earlier ones. With more of them, what is missing is
 * reported.
 */
const waitingMax = 500_000;
const unreadableMax = 100;

export interface StreamVerdict {
  readonly tenants: readonly TenantStreamVerdict[];
  readonly findings: readonly Finding[];
  /** The lines that are not as the vault wrote them: the number of each, with its file. */
  readonly unreadable: readonly string[];
  readonly foreignAnchorLines: number;
}

/** Verifies what a receiver has, without the vault: that no record is missing, and that none was changed. */
export async function checkStream(
  paths: readonly string[],
  { publicKey, anchorFile, onProgress }: StreamCheckOptions,
): Promise<StreamVerdict> {
  const checks = new Map<string, TenantCheck>();
  const unreadable: string[] = [];
  let lines = 0;
  let waiting = 0;
  for (const path of paths) {
    // A missing file would otherwise count as one without lines.
    await access(path).catch(() => {
      throw new OperatorError(`${path} cannot be read.`);
    });
    let lineNumber = 0;
    for await (const text of readLines(path)) {
      lineNumber += 1;
      lines += 1;
      if (text.trim() === '') continue;
      const line = parseStreamLine(text);
      if (line === undefined) {
        if (unreadable.length < unreadableMax) unreadable.push(`${path}:${lineNumber}`);
        continue;
      }
      const check = checkOf(checks, tenantOf(line), publicKey);
      waiting -= check.waiting;
      check.add(line);
      while (waiting + check.waiting > waitingMax && check.force());
      waiting += check.waiting;
      onProgress(lines);
    }
  }
  const tenants = [...checks.values()].map((check) => check.finish());
  const anchor =
    anchorFile === undefined
      ? { findings: [], foreignLines: 0 }
      : await compareWithAnchor(anchorFile, publicKey, async (tenantId) => checks.get(tenantId)?.roots ?? new Map());
  const findings = [...tenants.flatMap((tenant) => tenant.findings), ...anchor.findings];
  return { tenants, findings, unreadable, foreignAnchorLines: anchor.foreignLines };
}

interface StreamCheckOptions {
  readonly publicKey: Buffer;
  /** The path of an anchor file. It shows that the newest lines are there too. */
  readonly anchorFile?: string | undefined;
  readonly onProgress: (lines: number) => void;
}

function tenantOf(line: ReceivedLine): string {
  return line.kind === 'record' ? line.record.tenant_id : line.checkpoint.tenantId;
}

function checkOf(checks: Map<string, TenantCheck>, tenantId: string, publicKey: Buffer): TenantCheck {
  const known = checks.get(tenantId) ?? new TenantCheck(tenantId, publicKey);
  checks.set(tenantId, known);
  return known;
}
