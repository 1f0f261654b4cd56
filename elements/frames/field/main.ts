import type { ElementState, FieldProblem } from '../../protocol/element-state.ts';
import type { FieldSetup } from '../../protocol/field-options.ts';
import type { SiblingMessage } from '../../protocol/messages.ts';
import { FrameLink } from '../frame-link.ts';
import { mountButton } from './copy-button.ts';
import { FieldView } from './field-view.ts';
import { InputField } from './input-field.ts';
import type { MountedElement } from './mounted-element.ts';
import { OptionError, readChange, readSetup } from './read-options.ts';
import { reportUpdate } from './report-update.ts';

let mounted: MountedElement | undefined;
let controller: Window | undefined;
let isWatched = false;
let announced = '';
let announcedBrand: string | undefined;

const link = FrameLink.open({
  onCommand: (command) => {
    if (command['kind'] === 'setup') setUp(command['setup']);
    else mounted?.command(command);
  },
  onSibling: hear,
});
link?.report({ kind: 'hello' });
if (link === undefined) document.body.textContent = 'This field works only inside a page that the vault allows.';

function setUp(given: unknown): void {
  if (link === undefined || mounted !== undefined) return;
  try {
    const setup = readSetup(given);
    mounted = setup.type === 'copyButton' ? mountButton(setup, link) : mountField(setup, link);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    link.report({ kind: 'refused', reason: error.message });
    return;
  }
  link.tellAll({ kind: 'join', element: link.address.element });
}

function hear(message: SiblingMessage, source: Window): void {
  if (message.kind === 'joined' && controller === undefined && mounted !== undefined) {
    controller = source;
    // The height is reported immediately because observers do not run in a frame outside the visible part of the page.
    reportHeight();
    link?.report({ kind: 'ready', state: mounted.state, problems: mounted.problems });
    announceBrand(mounted.state);
    new ResizeObserver(() => reportHeight()).observe(document.documentElement);
  }
  // The field reveals its value only to the controller that it has joined.
  if (source !== controller || mounted === undefined) return;
  if (message.kind === 'ask') {
    const { value, errors } = mounted;
    link?.tell(source, { kind: 'value', question: message.question, value, errors });
  }
  if (message.kind === 'fill') mounted.fill(message.value);
  if (message.kind === 'shown') mounted.noteToken(message.digits);
  if (message.kind === 'brand') mounted.noteBrand(message.brand);
  if (message.kind === 'watch') {
    isWatched = true;
    link?.tell(source, { kind: 'changed', value: mounted.value });
  }
}

function mountField(setup: FieldSetup, link: FrameLink): MountedElement {
  const { targetId } = setup;
  const field = new InputField(setup, {
    onChange: () => announce(),
    onFocus: (target) => link.report({ kind: 'focus', targetId: target }),
    onBlur: (target) => link.report({ kind: 'blur', targetId: target }),
    onFull: () => link.report({ kind: 'full' }),
    onKey: (target, key) => link.report({ kind: 'keydown', targetId: target, ...key }),
  });
  const view = new FieldView(field, () => link.report({ kind: 'copy', targetId }));
  const announce = () => {
    view.showState();
    const { state, problems } = field;
    // The controller must know the number before the page does.
    if (field.shownDigits !== undefined && controller !== undefined)
      link.tell(controller, { kind: 'shown', digits: field.shownDigits });
    announceState(state, problems);
    announceBrand(state);
    if (isWatched && controller !== undefined) link.tell(controller, { kind: 'changed', value: field.value });
  };
  const [first] = field.boxes.values();
  const commands: Readonly<Record<string, (command: Readonly<Record<string, unknown>>) => void>> = {
    validate: () => field.validate(),
    clear: () => field.clear(),
    focus: () => first?.input.focus(),
    blur: () => (document.activeElement instanceof HTMLElement ? document.activeElement.blur() : undefined),
    update: (command) =>
      reportUpdate(link, command, () => {
        const ignored = field.update(readChange(command['change'], setup.type));
        view.update();
        reportHeight();
        return ignored;
      }),
  };
  announced = JSON.stringify([field.state, field.problems]);
  void field.texts.load(setup.lang).then((isOther) => (isOther ? announce() : undefined));
  return {
    get value() {
      return field.value;
    },
    get errors() {
      return field.errors;
    },
    get state() {
      return field.state;
    },
    get problems() {
      return field.problems;
    },
    fill: (value) => {
      field.fill(value);
      announce();
    },
    noteToken: (digits) => field.noteToken(digits),
    noteBrand: (brand) => {
      field.noteBrand(brand);
      announce();
    },
    command: (command) => {
      const { kind } = command;
      if (typeof kind === 'string' && Object.hasOwn(commands, kind)) commands[kind]?.(command);
      announce();
    },
  };
}

/** Reports a state to the page if it changed. The page does not learn about each key press. */
function announceState(state: ElementState, problems: readonly FieldProblem[]): void {
  const text = JSON.stringify([state, problems]);
  if (text === announced) return;
  announced = text;
  link?.report({ kind: 'change', state, problems });
}

/**
 * Tells the controller the brand of a typed number, which decides the length of the code in another field. A card
 * element has a code of its own. The page knows the brand from the state.
 */
function announceBrand({ cardBrand }: ElementState): void {
  if (controller === undefined || mounted?.value.kind === 'card' || cardBrand === undefined) return;
  const brand = cardBrand === 'unknown' ? undefined : cardBrand;
  if (brand === announcedBrand) return;
  announcedBrand = brand;
  link?.tell(controller, { kind: 'brand', brand });
}

function reportHeight(): void {
  const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
  link?.report({ kind: 'size', height });
}
