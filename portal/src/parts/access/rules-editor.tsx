import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import type { Schemas } from '../../api/client';
import { Button, IconButton } from '../controls/button';
import { Field, FieldErrors } from '../controls/field';
import { PermissionBoxes } from './permission-boxes';
import { addRule, type Rights, type Rule, swapRules } from './rights';
import { TransformChoice } from './transform-choice';
import { transformWords } from './words';

type FieldErrorsByName = Readonly<Record<string, readonly string[]>>;

/** Edits rules in evaluation order. Priorities follow from the order, so that no two are equal. */
export function RulesEditor(editor: {
  readonly rights: Rights;
  readonly offered: readonly Schemas['Permission'][];
  readonly onChange: (rights: Rights) => void;
  readonly errors?: FieldErrorsByName | undefined;
}) {
  const { rights, offered, onChange, errors = {} } = editor;
  const { rules } = rights;
  const setRules = (changed: readonly Rule[]) => onChange({ ...rights, rules: changed });
  return (
    <fieldset className="rules-editor">
      <legend>Rules, in their order</legend>
      <p className="note">
        The first rule that covers a token and permits what is asked decides how much is shown. Plain permissions come
        after all rules.
      </p>
      <ol>
        {rules.map((rule, index) => (
          <li key={rule.priority}>
            <RuleEditor
              rule={rule}
              number={index + 1}
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
      <div>
        <Button icon={Plus} onClick={() => onChange(addRule(rights))}>
          Add a rule
        </Button>
      </div>
    </fieldset>
  );
}

function RuleEditor(editor: {
  readonly rule: Rule;
  readonly number: number;
  readonly offered: readonly Schemas['Permission'][];
  readonly errors: FieldErrorsByName;
  readonly onChange: (rule: Rule) => void;
  readonly onRemove: () => void;
  readonly onRaise: (() => void) | undefined;
  readonly onLower: (() => void) | undefined;
}) {
  const { rule, number, offered, errors, onChange } = editor;
  const name = `Rule ${number}`;
  return (
    <div className="rule" role="group" aria-label={name}>
      <header className="rule-head">
        <span className="rule-number">{number}</span>
        <h2>
          {transformWords[rule.transform]} in {rule.container === '' ? '…' : rule.container}
        </h2>
        <MoveButton icon={ArrowUp} label={`Move up ${name}`} move={editor.onRaise} />
        <MoveButton icon={ArrowDown} label={`Move down ${name}`} move={editor.onLower} />
        <IconButton icon={Trash2} isSmall label={`Remove ${name}`} onClick={editor.onRemove} />
      </header>
      <div className="rule-body">
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
        <div className="field">
          <span className="label">What is shown</span>
          <div>
            <TransformChoice
              label={`What ${name} shows`}
              value={rule.transform}
              onChange={(transform) => onChange({ ...rule, transform })}
            />
          </div>
          <FieldErrors errors={errors['transform'] ?? []} />
        </div>
        <div className="rule-wide">
          <PermissionBoxes
            legend="Permits"
            isShort
            offered={offered}
            chosen={rule.permissions}
            errors={errors['permissions']}
            onChange={(permissions) => onChange({ ...rule, permissions })}
          />
        </div>
        <div className="rule-wide">
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
      </div>
    </div>
  );
}

/**
 * Moves a rule. At either end of the list the button is only `aria-disabled`, because a disabled button would lose the
 * focus.
 */
function MoveButton(button: {
  readonly icon: typeof ArrowUp;
  readonly label: string;
  readonly move: (() => void) | undefined;
}) {
  const { icon, label, move } = button;
  return <IconButton icon={icon} isSmall label={label} aria-disabled={move === undefined} onClick={move} />;
}

/** Returns the errors of one rule. For example, `rules.2.container` becomes `container` of the third rule. */
function errorsOf(errors: FieldErrorsByName, index: number): FieldErrorsByName {
  const prefix = `rules.${index}.`;
  return Object.fromEntries(
    Object.entries(errors).flatMap(([name, messages]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length).replace(/\.\d+$/, ''), messages]] : [],
    ),
  );
}
