/** Gives the reader a file to keep. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it by then; without this it would be held in memory as long as the page is open.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
