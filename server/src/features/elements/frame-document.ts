import { type ElementsFiles, fileOf, pathOf } from './elements-files.ts';
import { html } from '../../http/pages/html.ts';

/** Renders the page inside a field. */
export function renderField(build: ElementsFiles): string {
  return renderFrame(build, { title: 'Strongroom field', script: 'field.js', style: 'field.css' });
}

/** Renders the hidden page that calls the API on behalf of the fields of a page. */
export function renderController(build: ElementsFiles): string {
  return renderFrame(build, { title: 'Strongroom controller', script: 'controller.js' });
}

function renderFrame(build: ElementsFiles, page: { title: string; script: string; style?: string }): string {
  const script = fileOf(build, page.script);
  const style = page.style === undefined ? undefined : fileOf(build, page.style);
  const link =
    style === undefined
      ? ''
      : html`<link rel="stylesheet" href="${pathOf(build, style)}" integrity="${style.integrity}" crossorigin="anonymous">`;
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${page.title}</title>${link}<script type="module" src="${pathOf(build, script)}" integrity="${script.integrity}" crossorigin="anonymous"></script></head><body></body></html>`.toString();
}
