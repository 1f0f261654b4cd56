/** Prints the results of a measurement, one per line or as one line of JSON. */
export function printFigures(figures: Readonly<Record<string, number>>, isJson: boolean): void {
  const lines = Object.entries(figures).map(([name, value]) => `${name.padEnd(30)} ${value.toFixed(2)}`);
  process.stdout.write(`${isJson ? JSON.stringify(figures) : lines.join('\n')}\n`);
}
