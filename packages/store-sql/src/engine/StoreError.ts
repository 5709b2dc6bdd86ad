import { Data } from "effect"

export type StoreFailure =
  | {
      readonly _tag: "Newer"
      /** The newest migration that the store has, and the newest that this program knows. */
      readonly stored: number
      readonly known: number
    }
  /** The store has other migrations than this program's: it belongs to something else. */
  | { readonly _tag: "Foreign"; readonly id: number; readonly stored: string; readonly known: string }
  /** A migration could not be applied; those before it stay applied. */
  | { readonly _tag: "MigrationFailed"; readonly id: number; readonly name: string; readonly detail: string }
  | { readonly _tag: "Unreadable"; readonly detail: string }

const sentence = (reason: StoreFailure): string => {
  switch (reason._tag) {
    case "Newer":
      return `The store was written by a newer program (migration ${reason.stored}, this one knows ${reason.known}): run the newer program, or restore a backup from before.`
    case "Foreign":
      return `The store is another program's (migration ${reason.id} is ${reason.stored}, not ${reason.known}): choose another database.`
    case "MigrationFailed":
      return `Migration ${reason.id} (${reason.name}) could not be applied (${reason.detail}): use an empty database, or put right what it says and start again.`
    case "Unreadable":
      return `The store cannot be read (${reason.detail}): put right what it says and start again.`
  }
}

/** The store cannot be served from; what it holds is as it was. */
export class StoreError extends Data.TaggedError("StoreError")<{ readonly reason: StoreFailure }> {
  /** One sentence that says what to do. */
  override get message(): string {
    return sentence(this.reason)
  }
}
