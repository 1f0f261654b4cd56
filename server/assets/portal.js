// Applies the colours that the user chose in the portal, which keeps its choice under the same name.
const colours = localStorage.getItem('strongroom.theme');
if (colours === 'light' || colours === 'dark') document.documentElement.dataset.theme = colours;

// Asks the browser for a passkey when a form needs one, puts the response into the form and submits it.
for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!knowsPasskeys()) refuse(form);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}

/** True if the browser can read the options of a passkey. Some have no WebAuthn, and old ones lack these functions. */
function knowsPasskeys() {
  return 'PublicKeyCredential' in globalThis && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
}

function refuse(form) {
  const note = document.createElement('p');
  note.className = 'note';
  note.textContent = 'This browser does not support passkeys.';
  form.querySelector('button').disabled = true;
  form.append(note);
}

async function send(form) {
  const alert = form.querySelector('[role=alert]');
  alert.hidden = true;
  try {
    form.elements.namedItem('credential').value = JSON.stringify(await ask(form.dataset));
    form.submit();
  } catch {
    // The browser has said why, or the user cancelled.
    alert.hidden = false;
  }
}

async function ask({ passkey, options }) {
  const wanted = JSON.parse(options);
  const credential =
    passkey === 'create'
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(wanted) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(wanted) });
  return credential.toJSON();
}

// Shows the parts of a form one after the other. Everything is sent at the end, in one request, so that no response says
// which part was wrong.
for (const form of document.querySelectorAll('form[data-steps]')) showSteps(form);

function showSteps(form) {
  const steps = [...form.querySelectorAll('fieldset')];
  const button = form.querySelector('button[data-submit]');
  const back = form.querySelector('button[data-back]');
  const label = button.textContent;
  let at = 0;
  const show = (index, { focuses }) => {
    at = index;
    steps.forEach((step, position) => {
      step.hidden = position !== at;
      // Parts that come later are not filled in yet, and must not keep the browser from accepting this one.
      step.disabled = position > at;
    });
    button.textContent = at === steps.length - 1 ? label : 'Continue';
    back.hidden = at === 0;
    if (focuses) steps[at].querySelector('input').focus();
    for (const name of form.querySelectorAll('[data-shows]')) {
      name.textContent = form.elements.namedItem(name.dataset.shows).value;
    }
  };
  form.addEventListener('submit', (event) => {
    if (at === steps.length - 1) return;
    event.preventDefault();
    show(at + 1, { focuses: true });
  });
  back.addEventListener('click', () => show(at - 1, { focuses: true }));
  // A failed attempt keeps the address, so it goes on with the next part.
  show(form.elements.namedItem('email').value === '' ? 0 : 1, { focuses: false });
}

// Copies or downloads what can be seen only once.
for (const button of document.querySelectorAll('button[data-copies]')) {
  button.hidden = false;
  button.addEventListener('click', () => void copy(button));
}

async function copy(button) {
  await navigator.clipboard.writeText(textOf(button.dataset.copies));
  button.querySelector('span').textContent = 'Copied';
}

for (const button of document.querySelectorAll('button[data-downloads]')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([`${textOf(button.dataset.downloads)}\n`], { type: 'text/plain' }));
    link.download = button.dataset.file;
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

// A page that shows something only once has a link that confirms that it was stored. Every other way out asks first.
for (const link of document.querySelectorAll('a[data-confirms]')) {
  const ask = (event) => event.preventDefault();
  addEventListener('beforeunload', ask);
  link.addEventListener('click', () => removeEventListener('beforeunload', ask));
}

function textOf(id) {
  const lines = [...document.querySelectorAll(`#${id} > li`)].map((line) => line.textContent.trim());
  return lines.join('\n');
}

// Ctrl K finds anything from every page inside the frame. The pages of the portal itself have the list.
if (document.querySelector('.side-find') !== null) {
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    location.assign('/portal/#find');
  });
}
