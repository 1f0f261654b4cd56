import { useState } from 'react';
import { Button } from '../../parts/controls/button';
import { Dialog, DialogFoot } from '../../parts/overlay/dialog';
import { ranges } from './audit-range';
import type { AuditSearch } from './audit-search';
import { LocalTimeInput } from './local-time-input';

/** Offers ranges that end now, and two times. They are applied together, not with every key press. */
export function TimeDialog({
  search,
  choose,
  onClose,
}: {
  readonly search: AuditSearch;
  readonly choose: (change: AuditSearch) => void;
  readonly onClose: () => void;
}) {
  const [from, setFrom] = useState(search.from);
  const [to, setTo] = useState(search.to);
  const isReversed = from !== undefined && to !== undefined && Date.parse(from) > Date.parse(to);
  return (
    <Dialog title="Time range" onClose={onClose}>
      <div className="actions">
        {ranges.map(({ name, label }) => (
          <Button
            key={name}
            isSmall
            onClick={() => {
              choose({ range: name, from: undefined, to: undefined });
              onClose();
            }}
          >
            {label}
          </Button>
        ))}
      </div>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          choose({ from, to, ...(from === undefined ? {} : { range: undefined }) });
          onClose();
        }}
      >
        <LocalTimeInput label="From" value={from} onChange={setFrom} />
        <LocalTimeInput
          label="To"
          value={to}
          onChange={setTo}
          errors={isReversed ? ['This is before the time in From.'] : []}
        />
        <DialogFoot>
          <Button kind="main" type="submit" disabled={from === undefined || isReversed}>
            Show these times
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
