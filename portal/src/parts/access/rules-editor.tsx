import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { Field } from '../field';
import { PermissionBoxes } from './permission-boxes';
import { addRule, type Rights, type Rule, swapRules } from './rights';
import { TransformSelect } from './transform-select';

type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Edits rules in evaluation order. Priorities follow from the order, so that no two are equal. */
export function RulesEditor(editor: {
  readonly rights: Rights;
  readonly offered: readonly Schemas['Permission'][];
  readonly onChange: (rights: Rights) => void;
  readonly errors?: FieldErrors | undefined;
}) {
  const { rights, offered, onChange, errors = {} } = editor;
  const { rules } = rights;
  const setRules = (changed: readonly Rule[]) => onChange({ ...rights, rules: changed });
  return (
    <fieldset className="rules-editor">
      <legend>Rules</legend>
      <p className="note">
        Of all rules that cover a token and grant what is asked, the first decides how much is shown. Plain permissions
        come after them.
      </p>
      <ol>
        {rules.map((rule, index) => (
          <li key={rule.priority}>
            <RuleEditor
              rule={rule}
              name={`Rule ${index + 1}`}
              offered={offered}
              errors={errorsOf(errors, index)}
              onChange={(changed) => setRules(rules.with(index, changed))}
              onRemove={() => setRules(rules.filter((_, other) => other !== index))}
              onRaise={index === 0 ? undefined : () => setRules(swapRules(rules, index - 1))}
              onLower={index === rules.length - 1 ? undefined : () => setRules(swapRules(rules, index))}
            />
          </li>
        ))}
      </ol>
      <button type="button" onClick={() => onChange(addRule(rights))}>
        Add a rule
      </button>
    </fieldset>
  );
}

function RuleEditor(editor: {
  readonly rule: Rule;
  readonly name: string;
  readonly offered: readonly Schemas['Permission'][];
  readonly errors: FieldErrors;
  readonly onChange: (rule: Rule) => void;
  readonly onRemove: () => void;
  readonly onRaise: (() => void) | undefined;
  readonly onLower: (() => void) | undefined;
}) {
  const { rule, name, offered, errors, onChange } = editor;
  return (
    <fieldset className="rule">
      <legend>{name}</legend>
      <div className="rule-fields">
        <Field label="Container" errors={errors['container']}>
          {(ids) => (
            <input
              {...ids}
              className="mono"
              required
              spellCheck={false}
              value={rule.container}
              onChange={({ target }) => onChange({ ...rule, container: target.value })}
            />
          )}
        </Field>
        <Field label="What is shown" errors={errors['transform']}>
          {(ids) => (
            <TransformSelect
              {...ids}
              value={rule.transform}
              onChange={(transform) => onChange({ ...rule, transform })}
            />
          )}
        </Field>
        <Field label="What it is for" errors={errors['description']}>
          {(ids) => (
            <input
              {...ids}
              maxLength={500}
              value={rule.description ?? ''}
              onChange={({ target }) => onChange({ ...rule, description: target.value })}
            />
          )}
        </Field>
      </div>
      <PermissionBoxes
        legend="Permits"
        isShort
        offered={offered}
        chosen={rule.permissions}
        errors={errors['permissions']}
        onChange={(permissions) => onChange({ ...rule, permissions })}
      />
      <div className="actions">
        <MoveButton move={editor.onRaise}>
          Move up<span className="unseen"> {name}</span>
        </MoveButton>
        <MoveButton move={editor.onLower}>
          Move down<span className="unseen"> {name}</span>
        </MoveButton>
        <button type="button" className="quiet" onClick={editor.onRemove}>
          Remove<span className="unseen"> {name}</span>
        </button>
      </div>
    </fieldset>
  );
}

/**
 * Moves a rule. At either end of the list the button is only `aria-disabled`, because a disabled button would lose the
 * focus.
 */
function MoveButton({ move, children }: { readonly move: (() => void) | undefined; readonly children: ReactNode }) {
  return (
    <button type="button" className="quiet" aria-disabled={move === undefined} onClick={move}>
      {children}
    </button>
  );
}

/** Returns the errors of one rule. For example, `rules.2.container` becomes `container` of the third rule. */
function errorsOf(errors: FieldErrors, index: number): FieldErrors {
  const prefix = `rules.${index}.`;
  return Object.fromEntries(
    Object.entries(errors).flatMap(([name, messages]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length).replace(/\.\d+$/, ''), messages]] : [],
    ),
  );
}
