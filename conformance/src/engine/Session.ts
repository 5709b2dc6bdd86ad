import { Context, type Effect, type Schema } from "effect"
import type { Profile } from "../profile/Profile.ts"
import type { Exchange } from "../wire/Exchange.ts"
import type { Json } from "../wire/Json.ts"
import type { Address, Refuses } from "../wire/Receiving.ts"
import type { Blocked } from "./Blocked.ts"
import type { Finding } from "./Finding.ts"

/** A call of one of the surfaces or of the token endpoint, before it is sent. */
export interface Call {
  readonly method: string
  /** Relative to `/openapi/v1`, query included. */
  readonly path: string
  /** `legacy`: the path is relative to `/api` instead. `web`: it is a URL, of a page of the web login. */
  readonly surface?: "legacy" | "web"
  /** Who calls: by name, `null` for nobody, or a whole `Authorization` header. The admin where it is left out. */
  readonly as?: PrincipalName | null | { readonly authorization: string }
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent form-encoded. */
  readonly form?: Readonly<Record<string, string>>
  /** Sent as it stands, with this content type. */
  readonly raw?: { readonly body: string; readonly type: string }
  readonly headers?: Readonly<Record<string, string>>
  /** Where it is sent: the tenant's host where it is left out, on the legacy surface its own address. */
  readonly to?: "tenant" | "second tenant" | "plain" | undefined
  /** Nobody named the path: what it answers is judged as little as can be. */
  readonly isUnknownPath?: true
  /** A 429 is an answer like any other: the call is neither held back for the limit nor sent again. */
  readonly isUnpaced?: true
}

/** Whose credentials a call carries: principals of the profile, limited ones by their place in it. */
export type PrincipalName =
  | "admin"
  | "secondClient"
  | "personalToken"
  | "rotated.old"
  | "rotated.new"
  | "revokedToken.revoked"
  | "revokedToken.living"
  | "expiredToken"
  | "rateLimited"
  | "externalToken"
  | "enrolledToken"
  | "secondTenant.admin"
  | `limited.${number}`
  | `limited.${number}.reissued`

/** What the suite made for itself and has to get rid of. */
export interface Made {
  /** Its entity type. */
  readonly type: string
  readonly id: string
  /** Where it is; on the tenant's host where it is left out. */
  readonly to?: "second tenant" | undefined
}

/** One walk on its way: what its steps are made with. */
export class Session extends Context.Service<
  Session,
  {
    readonly walk: string
    readonly profile: Profile
    /**
     * Sends a call and records it; an answer that never came is part of the exchange. Blocks the walk where the caller
     * has no token, or the run has used up its requests.
     */
    readonly send: (call: Call) => Effect.Effect<Exchange, Blocked>
    /** A principal's bearer token, asked for anew where the old one is about to end; undefined where there is none. */
    readonly bearer: (principal: PrincipalName) => Effect.Effect<string | undefined, Blocked>
    /** A credential's value, such as a client secret, by its place in the profile (`${CONF_SECRET}`). */
    readonly reveal: (secret: string) => string
    /** A name that nothing else in the world has: `conf-<run>-<n>`. */
    readonly unique: Effect.Effect<string>
    /** Writes down that something is about to be made; what was made is told by `made`. */
    readonly intend: (type: Made["type"], unique: string, to?: Made["to"]) => Effect.Effect<void>
    /** Has it deleted when the walk is over; `unique` is what it was intended under. */
    readonly made: (made: Made, unique: string) => Effect.Effect<void>
    /** The create that was intended under a name was answered, and made nothing. */
    readonly refused: (type: Made["type"], unique: string, to?: Made["to"]) => Effect.Effect<void>
    /**
     * Opens an address at which deliveries are received until the walk is over; those that it refuses are answered 500,
     * the others 200. Blocks the walk where nothing can be received.
     */
    readonly listen: (refuses?: Refuses) => Effect.Effect<Address, Blocked>
    /** A URL for a webhook that nothing has to be delivered to: nothing that is sent there is kept. */
    readonly closedUrl: (unique: string) => Effect.Effect<string>
    readonly find: (finding: Omit<Finding, "walk">) => Effect.Effect<void>
    /**
     * What is worked out from the very letters of a secret, which nothing that is recorded shows: worked out once, and
     * read from the record where the run is judged again. Nothing else is to go this way.
     */
    readonly settle: <A>(what: string, form: Schema.Codec<A, Json>, value: () => A) => Effect.Effect<A>
    /** Waits, on the run's clock, no longer than the profile allows; false where it would be longer. */
    readonly wait: (seconds: number) => Effect.Effect<boolean>
  }
>()("@wcs/conformance/Session") {}
