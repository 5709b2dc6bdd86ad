import type { Answer } from "./Connection.ts"

/** The slots of a credential. */
export interface Owners {
  readonly worker: string | null
  readonly applicant: string | null
}

/** A credential, worker or applicant as an answer showed it. */
export interface ShownDocument {
  readonly id: string
  readonly updatedAt: string
  readonly attributes?: { readonly owners: Owners; readonly identifier?: string }
  readonly identity?: { readonly displayName: string }
}

export interface Owner {
  readonly type: "worker" | "applicant"
  readonly id: string
}

/** What a client said, and what it was told. */
export type Exchange =
  | { readonly kind: "create" | "read"; readonly answer: Answer }
  | { readonly kind: "own"; readonly id: string; readonly command: Command; readonly answer: Answer }
  | { readonly kind: "bulk"; readonly answer: Answer }
  | { readonly kind: "patch"; readonly answer: Answer }
  | { readonly kind: "delete"; readonly id: string; readonly answer: Answer }

export type Command =
  | { readonly action: "link"; readonly to: Owner }
  | { readonly action: "unlink"; readonly from: Owner }
  | { readonly action: "transfer"; readonly from: Owner; readonly to: Owner }

/** What only one client writes, one request after another. */
interface Written {
  /** What was acknowledged last. */
  acknowledged: string
  /** What was sent after it, and not answered. */
  sent: string | undefined
}

/** All that clients did to one store, over many servers: what was answered, and what was not. */
export class History {
  /** Answers that say that the server failed: what they were to do may be done, or not. */
  readonly failures: Array<Answer> = []
  readonly exchanges: Array<Exchange> = []
  /** The credentials of each batch that was sent, in the order of their ids. */
  readonly batches = new Set<string>()
  /** The one field of a worker or credential that its client changes. */
  readonly written = new Map<string, Written>()
  /** Whether the DELETE of an id was answered. */
  readonly deletions = new Map<string, boolean>()
  sent = 0

  get unanswered(): number {
    return this.sent - this.exchanges.length
  }

  batchSent(ids: ReadonlyArray<string>): void {
    this.batches.add([...ids].sort().join())
  }
}
