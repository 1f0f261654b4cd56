const storageKey = 'strongroom.tenant';

/** The tenant that requests are about, kept for the next visit. */
export function chosenTenant(): string | undefined {
  return localStorage.getItem(storageKey) ?? undefined;
}

export function chooseTenant(id: string): void {
  localStorage.setItem(storageKey, id);
}
