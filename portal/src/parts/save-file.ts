/** Downloads content as a file. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has read the content by then. Without this, the content would stay in memory until the page is closed.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
