import type { ColumnTypes } from "./Dialect.ts"

/** One schema change. Never edit a migration that a store may have applied. */
export interface Migration {
  /** Numbers from 1 without gaps. */
  readonly id: number
  readonly name: string
  /** The statements in order, one text each. */
  readonly statements: (types: ColumnTypes) => ReadonlyArray<string>
}
