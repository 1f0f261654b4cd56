/**
 * A number whose text JavaScript cannot reproduce: `12345678901234567890`, `1e400`, `-0`, `1.0`. A vault must return
 * exactly what it received, so the text is kept instead of the nearest double.
 */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type JsonScalar = null | boolean | number | string | ExactNumber;
export type JsonValue = JsonScalar | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}
