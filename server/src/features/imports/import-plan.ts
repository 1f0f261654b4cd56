/** What a batch is about to write: decided before its first row is written, so that repeating it does the same. */
export interface ImportPlan {
  readonly id: string;
  /** Each row by its line, in the order of the file. */
  readonly rows: readonly (readonly [line: number, id: string])[];
  /** Ids that tokens had before this batch was begun. */
  readonly taken: readonly string[];
}

/** A plan, to be asked about lines. */
export class PlannedBatch {
  readonly id: string;
  readonly ids: ReadonlyMap<number, string>;
  readonly #firstLines = new Map<string, number>();
  readonly #taken: ReadonlySet<string>;

  constructor(plan: ImportPlan) {
    this.id = plan.id;
    this.ids = new Map(plan.rows);
    this.#taken = new Set(plan.taken);
    for (const [line, id] of plan.rows) if (!this.#firstLines.has(id)) this.#firstLines.set(id, line);
  }

  has(line: number): boolean {
    return this.ids.has(line);
  }

  /** Whether the row of this line never gets its id: a token has it, or an earlier line of the batch. */
  isTaken(line: number): boolean {
    const id = this.ids.get(line);
    return id === undefined || this.#taken.has(id) || this.#firstLines.get(id) !== line;
  }
}
