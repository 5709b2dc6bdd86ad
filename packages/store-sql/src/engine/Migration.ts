import type { ColumnTypes } from "./Dialect.ts"

/** One step from an older store to a newer one. It never changes once a store may have it. */
export interface Migration {
  /** 1, 2, 3 … without a gap. */
  readonly id: number
  readonly name: string
  /** The statements, one text each, in their order. */
  readonly statements: (types: ColumnTypes) => ReadonlyArray<string>
}
