import type { Schemas } from '../../api/client';
import { useNames } from '../../api/names';
import { shortenId } from '../controls/copied-id';
import { ActorText } from './actor-name';
import { toSentence } from './record-sentence';
import { type SightKind, toSight } from './sight';

export type LogRecord = Schemas['Log'];

/** Shows a record as a sentence: who, what, to what, where to. It has no links, because it is usually part of one. */
export function SaidOf({ record }: { readonly record: LogRecord }) {
  const names = useNames();
  const { verb, object, id, tail } = toSentence(record);
  const name = names.get(id ?? '')?.name;
  return (
    <span className="said">
      <b>
        <ActorText id={record.actor_id} type={record.actor_type} />
      </b>{' '}
      {verb} {object} {id === undefined ? null : name === undefined ? <code>{shortenId(id)}</code> : <b>{name}</b>}
      {tail}
    </span>
  );
}

/** Returns how much of the data was seen through a record, or that it was refused. */
export function sightOf({ outcome, transform }: Pick<LogRecord, 'outcome' | 'transform'>): SightKind {
  return outcome === 'denied' || outcome === 'missed' ? 'denied' : toSight(transform);
}

/** Returns a word for an outcome that the mark does not tell apart. */
export function sightLabelOf({ outcome }: Pick<LogRecord, 'outcome'>): string | undefined {
  if (outcome === 'missed') return 'Not found';
  return outcome === 'failed' ? 'Failed' : undefined;
}
