const storageKey = 'strongroom.tenant';

/**
 * The tenant that requests are about. Each tab has its own: if they shared one, choosing another tenant in one tab would send the
 * changes of the others there. A new tab begins with the one that was chosen last.
 */
export function chosenTenant(): string | undefined {
  return sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey) ?? undefined;
}

export function chooseTenant(id: string): void {
  sessionStorage.setItem(storageKey, id);
  localStorage.setItem(storageKey, id);
}
