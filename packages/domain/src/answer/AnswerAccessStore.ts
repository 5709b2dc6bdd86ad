import { Context, type Effect, type Option } from "effect"
import type { ChangeRecords } from "../crud/ChangeRecords.ts"
import type { AnswerAccess } from "./AnswerAccess.ts"

/** The access to the page of a request. */
export interface FoundAccess {
  readonly requestId: string
  readonly access: AnswerAccess
}

/** The access to store, with its records. Undefined leaves it. */
export interface AccessChange {
  readonly next: AnswerAccess | undefined
  readonly records?: ChangeRecords
}

/** Stores who may open the page of a request. Infrastructure failures are defects. */
export class AnswerAccessStore extends Context.Service<
  AnswerAccessStore,
  {
    /** Returns the access of the request with this open link. One read. */
    readonly find: (tenantId: string, linkHash: string) => Effect.Effect<Option.Option<FoundAccess>>

    /**
     * Reads the access of a request, `noAccess` before the first link, and stores what `decide` returns with its records,
     * in one transaction. Links that are missing in the next one end. Returns what `decide` returned.
     * `decide` is pure and may be called more than once.
     */
    readonly change: <A extends AccessChange>(
      tenantId: string,
      requestId: string,
      decide: (access: AnswerAccess) => A
    ) => Effect.Effect<A>
  }
>()("@wcs/domain/AnswerAccessStore") {}
