import { ArrowRight, Eye, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../../parts/controls/button';
import { Field } from '../../../parts/controls/field';
import { Icon } from '../../../parts/icon';
import { Card, CardBody } from '../../../parts/page/card';
import { Loading } from '../../../parts/page/loading';
import { Failure } from '../../../parts/page/states';
import { Sight } from '../../../parts/show/sight';
import { Tag } from '../../../parts/show/tag';
import type { DifferenceLine } from './difference';
import type { LookedDifference } from './use-difference';

/** Shows what an edit of rights changes, as the vault decides now and as it would decide with the edit. */
export function DifferencePanel(panel: { readonly difference: LookedDifference; readonly hasOtherRights: boolean }) {
  const { difference, hasOtherRights } = panel;
  const { seen, error, isLooking } = difference;
  const showsMore = seen?.lines.some(({ isMore }) => isMore) === true;
  return (
    <Card
      title="What this changes"
      className="edit-side"
      actions={
        hasOtherRights && showsMore ? (
          <Tag tone="plain" icon={Eye}>
            Shows more
          </Tag>
        ) : null
      }
    >
      <div aria-live="polite">
        {hasOtherRights ? (
          <>
            {error === null ? null : (
              <CardBody>
                <Failure error={error} />
              </CardBody>
            )}
            {seen === undefined ? (
              isLooking ? (
                <Loading what="what this changes" rows={2} />
              ) : null
            ) : (
              <Lines lines={seen.lines} left={seen.left} />
            )}
          </>
        ) : (
          <CardBody>
            <p className="muted">Nothing yet. Edit a rule or a permission to see who would see more or less.</p>
          </CardBody>
        )}
      </div>
      {hasOtherRights ? <ComparedTokens tokens={difference.tokens} onChange={difference.setTokens} /> : null}
    </Card>
  );
}

function Lines({ lines, left }: { readonly lines: readonly DifferenceLine[]; readonly left: number }) {
  return (
    <>
      {lines.length === 0 ? (
        <CardBody>
          <p>Nothing: in the containers that rules name, and for the tokens below, every decision stays the same.</p>
        </CardBody>
      ) : (
        <ul className="changes" aria-label="What changes">
          {lines.map((line) => (
            <li key={line.key}>
              <span className="shift">
                <Sight of={line.beforeSight} label={line.before} />
                <Icon of={ArrowRight} isSmall />
                <Sight of={line.afterSight} label={line.after} />
              </span>
              <p className="said">{line.words}</p>
              <p className="note">
                <code>{line.permission}</code> in <code>{line.place}</code>
              </p>
            </li>
          ))}
        </ul>
      )}
      {left === 0 ? null : (
        <CardBody>
          <p className="note">{left} more containers were not looked at.</p>
        </CardBody>
      )}
    </>
  );
}

/** Lets the user add tokens to the comparison. */
function ComparedTokens(list: {
  readonly tokens: readonly string[];
  readonly onChange: (tokens: readonly string[]) => void;
}) {
  const { tokens, onChange } = list;
  const [text, setText] = useState('');
  const add = () => {
    const id = text.trim();
    if (id !== '' && !tokens.includes(id)) onChange([...tokens, id]);
    setText('');
  };
  return (
    <CardBody>
      <Field
        label="Check it on one token"
        hint="A token in several containers can be decided by a rule of any of them."
      >
        {(ids) => (
          <input
            {...ids}
            className="mono"
            placeholder="Id of a token"
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              // The field stands inside the form that saves the application.
              event.preventDefault();
              add();
            }}
          />
        )}
      </Field>
      <div className="actions">
        <Button isSmall onClick={add}>
          Check
        </Button>
      </div>
      {tokens.map((token) => (
        <span key={token} className="line">
          <code className="grow">{token}</code>
          <IconButton
            icon={X}
            isSmall
            label={`Remove token ${token}`}
            onClick={() => onChange(tokens.filter((one) => one !== token))}
          />
        </span>
      ))}
    </CardBody>
  );
}
