const door = 'M9 2h14a7 7 0 0 1 7 7v14a7 7 0 0 1-7 7H9a7 7 0 0 1-7-7V9a7 7 0 0 1 7-7Z';
const wheel =
  'M14.5 25.89A10 10 0 0 1 6.69 12.36L11.67 15.23A4.4 4.4 0 0 0 14.5 20.14ZM8.19 9.76A10 10 0 0 1 23.81 9.76L18.83 12.63A4.4 4.4 0 0 0 13.17 12.63ZM25.31 12.36A10 10 0 0 1 17.5 25.89L17.5 20.14A4.4 4.4 0 0 0 20.33 15.23Z';

/** Shows the mark: the wheel of a strongroom in its door. `server/assets/icon.svg` is the same drawing. */
export function Logo() {
  return (
    <svg className="logo" viewBox="0 0 32 32" fill="currentColor" aria-hidden="true">
      <path fillRule="evenodd" d={`${door}${wheel}`} />
    </svg>
  );
}

/** Shows the wheel alone, as the watermark of a card. */
export function Wheel({ className }: { readonly className: string }) {
  return (
    <svg className={className} viewBox="6 6 20 20" fill="currentColor" aria-hidden="true">
      <path d={wheel} />
    </svg>
  );
}
