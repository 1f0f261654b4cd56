import { useId } from 'react';
import type { Schemas } from '../../api/client';
import { FieldErrors } from '../controls/field';
import { groupOf } from './words';

/** Shows permissions to choose from, grouped by subject. */
export function PermissionBoxes(boxes: {
  readonly legend: string;
  readonly offered: readonly Schemas['Permission'][];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: string[]) => void;
  /** Omits the descriptions, for pages that already show them elsewhere. */
  readonly isShort?: boolean;
  readonly errors?: readonly string[] | undefined;
}) {
  const { legend, offered, chosen, onChange, isShort = false, errors = [] } = boxes;
  const id = useId();
  const groups = [...Map.groupBy(offered, ({ type }) => groupOf(type))];
  const toggle = (type: string) =>
    onChange(chosen.includes(type) ? chosen.filter((one) => one !== type) : [...chosen, type]);
  return (
    <fieldset className="boxes">
      <legend>{legend}</legend>
      {groups.map(([group, permissions]) => (
        <div key={group} className="boxes-group">
          {groups.length === 1 ? null : (
            <span className="boxes-name" id={`${id}-${group}`}>
              {group}
            </span>
          )}
          <div className={isShort ? 'checks' : 'boxes-long'}>
            {permissions.map(({ type, description }) => (
              <label key={type} className={isShort ? 'check' : 'choice'}>
                <input type="checkbox" checked={chosen.includes(type)} onChange={() => toggle(type)} />
                <span>
                  <code>{type}</code>
                  {isShort ? null : <span className="note">{description}</span>}
                </span>
              </label>
            ))}
          </div>
        </div>
      ))}
      <FieldErrors errors={errors} />
    </fieldset>
  );
}
