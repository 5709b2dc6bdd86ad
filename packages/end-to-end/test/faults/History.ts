import type { OwnerReference, Owners } from "@wcs/domain/ownership/Ownership"
import type { Answer } from "./Connection.ts"

/** A credential, worker or applicant in a response. */
export interface ShownDocument {
  readonly id: string
  readonly updatedAt: string
  readonly attributes?: { readonly owners: Owners; readonly identifier?: string }
  readonly identity?: { readonly displayName: string }
}

/** A request with its response. */
export type Exchange =
  | { readonly kind: "create" | "read"; readonly answer: Answer }
  | { readonly kind: "changeOwner"; readonly id: string; readonly command: Command; readonly answer: Answer }
  | { readonly kind: "bulk"; readonly answer: Answer }
  | { readonly kind: "patch"; readonly answer: Answer }
  | { readonly kind: "delete"; readonly id: string; readonly answer: Answer }

export type Command =
  | { readonly action: "link"; readonly to: OwnerReference }
  | { readonly action: "unlink"; readonly from: OwnerReference }
  | { readonly action: "transfer"; readonly from: OwnerReference; readonly to: OwnerReference }

/** A value that only one client writes, sequentially. */
interface Written {
  /** The last acknowledged value. */
  acknowledged: string
  /** A later value without a response. */
  sent: string | undefined
}

/** All calls to a store over several servers, with and without responses. */
export class History {
  /** Failed calls. Their effects are unknown. */
  readonly failures: Array<Answer> = []
  readonly exchanges: Array<Exchange> = []
  /** The credentials of each batch, ordered by id. */
  readonly batches = new Set<string>()
  /** The field of a worker or credential that its client changes. */
  readonly written = new Map<string, Written>()
  /** Whether the DELETE of an id was acknowledged. */
  readonly deletions = new Map<string, boolean>()
  sent = 0

  get unanswered(): number {
    return this.sent - this.exchanges.length
  }

  batchSent(ids: ReadonlyArray<string>): void {
    this.batches.add([...ids].sort().join())
  }
}
