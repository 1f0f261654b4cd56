/**
 * Opens a dialog, with the focus on its first input or on its title. By default, browsers focus the first button, which
 * closes it.
 */
export function openDialog(dialog: HTMLDialogElement | null): void {
  if (dialog === null || dialog.open) return;
  dialog.showModal();
  const first = dialog.querySelector<HTMLElement>('input, select, textarea') ?? dialog.querySelector<HTMLElement>('h2');
  first?.focus();
}
