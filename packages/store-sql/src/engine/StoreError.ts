import { Data } from "effect"

export type StoreFailure =
  | {
      readonly _tag: "Newer"
      /** The newest applied migration, and the newest known one. */
      readonly stored: number
      readonly known: number
    }
  /** The store has other migrations than this program: another program made it, or an unreleased version. */
  | { readonly _tag: "Foreign"; readonly id: number; readonly stored: string; readonly known: string }
  /** A migration failed. Earlier ones stay applied. */
  | { readonly _tag: "MigrationFailed"; readonly id: number; readonly name: string; readonly detail: string }
  | { readonly _tag: "Unreadable"; readonly detail: string }

const sentence = (reason: StoreFailure): string => {
  switch (reason._tag) {
    case "Newer":
      return `The store was written by a newer program (migration ${reason.stored}; this program knows ${reason.known}): run the newer program, or restore a backup from before its first start.`
    case "Foreign":
      return `The store was made by another program, or by a version before the first release (migration ${reason.id} is ${reason.stored}, not ${reason.known}): choose another database.`
    case "MigrationFailed":
      return `Migration ${reason.id} (${reason.name}) could not be applied (${reason.detail}): use an empty database, or correct the reported error and start again.`
    case "Unreadable":
      return `The store cannot be read (${reason.detail}): correct the reported error and start again.`
  }
}

/** The store cannot be used. Its contents are unchanged. */
export class StoreError extends Data.TaggedError("StoreError")<{ readonly reason: StoreFailure }> {
  /** One sentence that says what to do. */
  override get message(): string {
    return sentence(this.reason)
  }
}
