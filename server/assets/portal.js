// Asks the browser for a passkey when a form needs one, puts the response into the form and submits it.
for (const form of document.querySelectorAll('form[data-passkey]')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
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
