// Shows the blocks of a call in several languages as tabs. Without this script, they are shown one after another.
const remembered = 'strongroom-language';
const groups = [...document.querySelectorAll('.code-tabs')].map(toTabs);
const saved = readChoice();
if (saved !== undefined) choose(saved);

function toTabs(group, number) {
  const labels = group.dataset.labels.split(',');
  const panels = [...group.children];
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Language');
  const tabs = labels.map((label, index) => toTab({ label, panel: panels[index], id: `code-${number}-${index}` }));
  list.append(...tabs.map(({ button }) => button));
  list.addEventListener('keydown', (event) => moveFocus(event, tabs));
  group.prepend(list);
  select(tabs, tabs[0]);
  return tabs;
}

function toTab({ label, panel, id }) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', id: `${id}-tab`, textContent: label });
  button.setAttribute('role', 'tab');
  button.setAttribute('aria-controls', id);
  panel.id = id;
  panel.setAttribute('role', 'tabpanel');
  panel.setAttribute('aria-labelledby', button.id);
  button.addEventListener('click', () => chooseHere(button, label));
  return { label, button, panel };
}

function moveFocus(event, tabs) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const at = tabs.findIndex(({ button }) => button === document.activeElement);
  const next = tabs[(at + step + tabs.length) % tabs.length];
  next.button.focus();
  chooseHere(next.button, next.label);
}

/** Groups above change their height too, so the page scrolls to keep the tab where it was. */
function chooseHere(button, label) {
  const before = button.getBoundingClientRect().top;
  choose(label);
  window.scrollBy({ top: button.getBoundingClientRect().top - before, behavior: 'instant' });
  saveChoice(label);
}

/** Selects a language in every group that has it. */
function choose(label) {
  for (const tabs of groups) {
    const chosen = tabs.find((tab) => tab.label === label);
    if (chosen !== undefined) select(tabs, chosen);
  }
}

function select(tabs, chosen) {
  for (const { button, panel } of tabs) {
    const isChosen = button === chosen.button;
    button.setAttribute('aria-selected', String(isChosen));
    button.tabIndex = isChosen ? 0 : -1;
    panel.hidden = !isChosen;
  }
}

// Browsers can refuse storage. The choice then lasts as long as the page.
function readChoice() {
  try {
    return localStorage.getItem(remembered) ?? undefined;
  } catch {
    return undefined;
  }
}

function saveChoice(label) {
  try {
    localStorage.setItem(remembered, label);
  } catch {
    // The page works without it.
  }
}
