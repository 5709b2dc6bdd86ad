import { Context, type Effect, type Option } from "effect"
import type { ChangeRecords } from "../crud/ChangeRecords.ts"
import type { AskedRequest } from "../screening/Answer.ts"
import type { Instant } from "../shared/Instant.ts"
import type { AnswerAccess } from "./AnswerAccess.ts"
import type { EndedRequest, Forgotten } from "./AnswerRetention.ts"

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

    /** The tenants with ids after this one whose requests have links, in order of id. */
    readonly tenants: (after: string, limit: number) => Effect.Effect<ReadonlyArray<string>>

    /**
     * The requests of a tenant with links that may have ended before a day, with ids after this one, in order of id: their last
     * day is before it, or they have none or were deleted, and were not changed since the instant.
     */
    readonly ended: (
      tenantId: string,
      before: { readonly day: string; readonly at: Instant },
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>>

    /**
     * Calls `decide`, which is pure but for new ids and may be called more than once, with a request and its answer. Unless it
     * returns undefined, deletes the links and devices of the request, and the documents of the answer without a trace. If there
     * is an answer to store, stores it with its audit entry. All in one transaction.
     */
    readonly forget: (
      tenantId: string,
      request: AskedRequest,
      at: Instant,
      decide: (known: EndedRequest) => Forgotten | undefined
    ) => Effect.Effect<void>
  }
>()("@wcs/domain/AnswerAccessStore") {}
