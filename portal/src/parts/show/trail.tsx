import { Link } from '@tanstack/react-router';
import { Ban, Bot, Eye, type LucideIcon, Pencil, Plus, Search, Send, Trash2, Users } from 'lucide-react';
import { shortenId } from '../controls/copied-id';
import { ActorName } from './actor-name';
import { byDay, type Fold, fold } from './fold';
import { Glyph } from './glyph';
import { countOf } from './number';
import { toSentence } from './record-sentence';
import { type LogRecord, sightOf } from './said';
import type { Tone } from './tag';
import { Time, toDayName } from './time';

/** Tells a story: what happened, day by day, with everything alike folded. `object` replaces the entity, such as "it". */
export function Trail({ records, object }: { readonly records: readonly LogRecord[]; readonly object: string }) {
  return byDay(fold(records)).map(([day, folds]) => (
    <section key={day}>
      <h3 className="trail-day">{toDayName(day)}</h3>
      <ol className="trail">
        {folds.map((one) => (
          <li key={one.records[0].id}>
            <Entry fold={one} object={object} />
          </li>
        ))}
      </ol>
    </section>
  ));
}

function Entry({ fold: { kind, records }, object }: { readonly fold: Fold<LogRecord>; readonly object: string }) {
  const [first] = records;
  if (kind === 'record') {
    return (
      <>
        <Glyph of={iconOf(first)} tone={toneOf(first)} />
        <div>
          <p className="said">
            <ActorOf record={first} /> <What record={first} object={object} />
          </p>
          <How record={first} />
        </div>
        <Time at={first.created_at} form="clock" />
      </>
    );
  }
  return (
    <>
      <Glyph of={kind === 'views' ? Users : iconOf(first)} tone={toneOf(first)} />
      <details>
        <summary>
          {kind === 'views' ? (
            sayViews(records)
          ) : (
            <>
              {countOf(records.length, 'time')}: <ActorOf record={first} /> <What record={first} object={object} />
            </>
          )}
        </summary>
        <ul>
          {records.map((record) => (
            <li key={record.id}>
              <Time at={record.created_at} form="clock" /> <ActorOf record={record} />{' '}
              <What record={record} object={object} />
            </li>
          ))}
        </ul>
      </details>
      <Time at={first.created_at} form="clock" />
    </>
  );
}

/** Says, for example, "2 members looked at it 12 times, masked". */
export function sayViews(records: readonly LogRecord[]): string {
  const members = new Set(records.map(({ actor_id: id }) => id)).size;
  const isMasked = records.some(({ transform }) => transform === 'mask');
  return `${countOf(members, 'member')} looked at it ${countOf(records.length, 'time')}${isMasked ? ', masked' : ''}`;
}

function ActorOf({ record: { actor_id: id, actor_type: type } }: { readonly record: LogRecord }) {
  return (
    <b>
      <ActorName id={id} type={type} />
    </b>
  );
}

/** Says what was done, with how much was seen in the middle of the sentence. */
function What({ record, object }: { readonly record: LogRecord; readonly object: string }) {
  const { verb, tail } = toSentence(record);
  const sight = sightOf(record);
  return (
    <>
      {verb} {object}
      {sight === 'plaintext' ? (
        <>
          {' '}
          in <strong>plaintext</strong>
        </>
      ) : sight === 'masked' ? (
        ', masked'
      ) : null}
      {tail}
    </>
  );
}

function How({
  record: { source_address: address, key_id: key, actor_id: actor, id, created_at },
}: {
  readonly record: LogRecord;
}) {
  const parts = [address, key === undefined || key === actor ? undefined : `key ${shortenId(key)}`];
  return (
    <p className="how">
      {parts.filter((part) => part !== undefined).join(' · ')}
      {parts.some((part) => part !== undefined) ? ' · ' : ''}
      <Link to="/audit" search={{ record: id, record_at: created_at }}>
        record
      </Link>
    </p>
  );
}

const icons: Readonly<Record<string, LucideIcon>> = {
  create: Plus,
  read: Eye,
  search: Search,
  update: Pencil,
  delete: Trash2,
  expire: Trash2,
};

function iconOf(record: LogRecord): LucideIcon {
  if (record.outcome === 'denied') return Ban;
  if (record.destination !== undefined) return Send;
  return record.actor_type === 'system' ? Bot : (icons[record.operation] ?? Eye);
}

function toneOf(record: LogRecord): Tone {
  const sight = sightOf(record);
  if (sight === 'denied') return 'bad';
  return sight === 'plaintext' ? 'plain' : 'neutral';
}
