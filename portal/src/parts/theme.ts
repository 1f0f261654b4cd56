const storageKey = 'strongroom.theme';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

export function currentTheme(): Theme {
  return themes.find((theme) => theme === localStorage.getItem(storageKey)) ?? 'system';
}

/** The style sheet has both; `data-theme` decides, and without it the system does. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  document.documentElement.dataset['theme'] = theme;
}
