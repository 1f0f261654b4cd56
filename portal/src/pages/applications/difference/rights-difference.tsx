import { type SubmitEvent, useState } from 'react';
import { type Column, DataTable } from '../../../parts/data-table';
import { Field } from '../../../parts/field';
import { Tag } from '../../../parts/tag';
import type { Difference, DifferenceLine } from './difference';

const columns: readonly Column<DifferenceLine>[] = [
  { header: 'Where', cell: ({ place }) => <code>{place}</code> },
  { header: 'Permission', cell: ({ permission }) => <code className="solid">{permission}</code> },
  { header: 'Now', cell: ({ before }) => <span className="solid">{before}</span> },
  { header: 'After', cell: ({ after, isMore }) => <Tag tone={isMore ? 'warn' : 'good'}>{after}</Tag> },
  { header: 'In words', isWide: true, cell: ({ words }) => words },
];

/** Shows the effects of an edit of rights. */
export function RightsDifference({ difference }: { readonly difference: Difference }) {
  const { lines, left } = difference;
  return (
    <>
      {lines.length === 0 ? (
        <p>Nothing: in the containers that rules name, and for the tokens below, every decision stays the same.</p>
      ) : (
        <DataTable caption="What changes" columns={columns} rows={lines} keyOf={({ key }) => key} />
      )}
      {left === 0 ? null : <p className="note">{left} more containers were not looked at.</p>}
    </>
  );
}

/** Lets the user add tokens to the comparison. */
export function ComparedTokens(list: {
  readonly tokens: readonly string[];
  readonly onChange: (tokens: readonly string[]) => void;
}) {
  const { tokens, onChange } = list;
  const [text, setText] = useState('');
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const id = text.trim();
    if (id !== '' && !tokens.includes(id)) onChange([...tokens, id]);
    setText('');
  };
  return (
    <form className="compared-tokens" onSubmit={add}>
      <Field label="Compare for a token, too">
        {(ids) => (
          <input
            {...ids}
            className="mono"
            placeholder="Id of a token"
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <button type="submit">Compare</button>
      <p className="note">A token in several containers can be decided by a rule of any of them.</p>
      {tokens.map((token) => (
        <span key={token} className="compared-token">
          <code>{token}</code>
          <button type="button" className="link" onClick={() => onChange(tokens.filter((one) => one !== token))}>
            Remove<span className="unseen"> token {token}</span>
          </button>
        </span>
      ))}
    </form>
  );
}
