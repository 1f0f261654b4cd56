import type { FieldSetup } from '../../protocol/field-options.ts';
import type { FieldValue } from '../../protocol/messages.ts';
import type { FrameLink } from '../frame-link.ts';
import { CopyControl } from './copy-control.ts';
import { FieldView } from './field-view.ts';
import { InputField } from './input-field.ts';
import type { MountedElement } from './mounted-element.ts';
import { readChange } from './read-options.ts';
import { reportUpdate } from './report-update.ts';

/** Mounts a standalone button that copies the value of another element. */
export function mountButton(setup: FieldSetup, link: FrameLink): MountedElement {
  const { targetId } = setup;
  let copied: FieldValue = { kind: 'text', text: '' };
  const control = new CopyControl({
    label: setup.text ?? 'Copy',
    textOf: () => toCopiedText(copied),
    onCopy: () => link.report({ kind: 'copy', targetId }),
    onClick: () => link.report({ kind: 'click', targetId }),
  });
  const field = new InputField(setup, {
    onChange: () => {},
    onFocus: () => {},
    onBlur: () => {},
    onKey: () => {},
    onFull: () => {},
  });
  const view = new FieldView(field, () => {});
  document.body.append(control.button, control.status);
  const dress = () => {
    control.button.disabled = field.setup.disabled === true;
    control.setLabel(field.setup.text ?? 'Copy');
  };
  dress();
  return {
    value: copied,
    errors: [],
    state: { empty: true, complete: true, valid: true },
    problems: [],
    fill: (value) => {
      copied = value;
    },
    noteToken: () => {},
    noteBrand: () => {},
    command: (command) => {
      if (command['kind'] === 'focus') control.button.focus();
      if (command['kind'] !== 'update') return;
      reportUpdate(link, command, () => {
        const ignored = field.update(readChange(command['change'], setup.type));
        view.update();
        dress();
        return ignored;
      });
    },
  };
}

function toCopiedText(value: FieldValue): string {
  if (value.kind === 'text') return value.text;
  return value.kind === 'card' ? value.number : `${value.month}/${value.year}`;
}
