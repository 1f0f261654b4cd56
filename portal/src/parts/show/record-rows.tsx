import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type LogRecord, SaidOf } from './said';
import { Time } from './time';

/** Lists records as sentences. Each opens in the log, among the records that fit the filters. */
export function RecordRows({
  records,
  filters,
  mark,
}: {
  readonly records: readonly LogRecord[];
  readonly filters: { readonly actor_id?: string; readonly key_id?: string; readonly transform?: string };
  /** What is shown before each sentence. */
  readonly mark?: ReactNode;
}) {
  return (
    <ul className="rows">
      {records.map((record) => (
        <li key={`${record.id} ${record.entity_id}`}>
          <Link
            to="/audit"
            search={{ ...filters, range: '30d', record: record.id, record_at: record.created_at }}
            className="row"
          >
            {mark}
            <SaidOf record={record} />
            <span className="tail">
              <Time at={record.created_at} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
