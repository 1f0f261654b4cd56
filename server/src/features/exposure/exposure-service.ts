import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Facet, Log, LogFilter, LogService } from '../logs/index.ts';
import { type SubjectExposure, SubjectExposureTally } from './subject-exposure.ts';
import { type TokenViewers, TokenViewersTally } from './token-viewers.ts';

/** A half-open period: `from` is included, `to` is not. */
export interface Period {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** A period with the time at which the log begins. */
export interface ReportedPeriod extends Period {
  readonly keptSince: Date;
}

/** The maximum that one report may read from the log and hold in memory. */
export interface ReadingLimits {
  readonly recordsMax: number;
  /** The maximum number of lines, plus the hosts, addresses and exports that they name. */
  readonly linesMax: number;
}

interface Reading {
  readonly tenantId: TenantId;
  readonly limits: ReadingLimits;
  /** Called for every record that counts. */
  readonly onRecord?: (log: Log) => void;
}

/** Finds what somebody has seen, and who has seen a token. Reads page by page, each in a short transaction. */
export class ExposureService {
  readonly #logs: Pick<LogService, 'listAll'>;

  constructor(logs: Pick<LogService, 'listAll'>) {
    this.#logs = logs;
  }

  async findExposure(filter: LogFilter, reading: Reading): Promise<SubjectExposure> {
    const tally = new SubjectExposureTally();
    await this.#readAll(filter, reading, tally);
    return tally.toExposure();
  }

  async findViewers(filter: LogFilter, reading: Reading): Promise<TokenViewers> {
    const tally = new TokenViewersTally();
    await this.#readAll(filter, reading, tally);
    return tally.toViewers();
  }

  async #readAll(
    filter: LogFilter,
    { tenantId, limits, onRecord }: Reading,
    tally: { add(log: Log): boolean; readonly size: number },
  ): Promise<void> {
    let read = 0;
    for await (const page of this.#logs.listAll({ tenantId }, filter)) {
      read += page.length;
      if (read > limits.recordsMax) throw tooMuch('records', limits.recordsMax);
      for (const log of page) if (tally.add(log)) onRecord?.(log);
      if (tally.size > limits.linesMax) throw tooMuch('lines', limits.linesMax);
    }
  }
}

export function toSubjectFilter(subject: Facet, period: Period): LogFilter {
  return {
    entityType: undefined,
    entityId: undefined,
    requestId: undefined,
    facets: [subject],
    exclusions: [],
    ...period,
  };
}

export function toTokenFilter(tokenId: string, period: Period): LogFilter {
  return { entityType: undefined, entityId: tokenId, requestId: undefined, facets: [], exclusions: [], ...period };
}

function tooMuch(what: 'records' | 'lines', max: number): DomainError {
  const found = `There are more than ${max} ${what} in this time.`;
  return new DomainError('validation-failed', `${found} Ask for less time at once.`, {
    fields: { start_date: [`${found} Choose a later start_date or an earlier end_date.`] },
  });
}
