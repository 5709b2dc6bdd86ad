import { Context, type Effect, type Schema } from "effect"
import type { PrincipalName } from "../profile/Principals.ts"
import type { Profile } from "../profile/Profile.ts"
import type { Json } from "../text/Json.ts"
import type { Exchange } from "../wire/Exchange.ts"
import type { Handles } from "../wire/Handles.ts"
import type { SecretShape } from "../wire/SecretShape.ts"
import type { Blocked } from "./Blocked.ts"
import type { Finding } from "./Finding.ts"
import type { Address, Refuses } from "./Receiving.ts"

/** A call to a surface or to the token endpoint. */
export interface Call {
  readonly method: string
  /** Relative to `/openapi/v1`, including the query. */
  readonly path: string
  /** `legacy`: the path is relative to `/api`. `web`: the path is the URL of a page of the web login. */
  readonly surface?: "legacy" | "web"
  /** The caller: a principal, `null` for none, or a whole `Authorization` header; default: the admin. */
  readonly as?: PrincipalName | null | { readonly authorization: string }
  /**
   * A call that every valid token may make: which of the profile's tokens makes it, or any of them in turn. If the token
   * is refused, the admin makes the call again, and the walk sees that answer alone.
   */
  readonly turn?: number | "any"
  /** The call must be refused for its content: in its turn, a token is refused only by a 401 or a 403. */
  readonly isOfContent?: true
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent form-encoded. */
  readonly form?: Readonly<Record<string, string>>
  /** Sent unchanged, with this content type. */
  readonly raw?: { readonly body: string; readonly type: string }
  readonly headers?: Readonly<Record<string, string>>
  /** The target; default: the tenant's host, or the address of the legacy surface. */
  readonly to?: "tenant" | "second tenant" | "plain" | undefined
  /** The path is not in the specification, so few rules apply to the response. */
  readonly isUnknownPath?: true
  /** The call is sent despite the rate limit, and not repeated after a 429. */
  readonly isUnpaced?: true
  /** The read of a list is sent at once, even if lists show earlier changes only after a while. */
  readonly isAtOnce?: true
}

/** A resource that the suite created and has to delete. */
export interface CreatedResource {
  readonly type: string
  readonly id: string
  /** The host; default: the tenant's. */
  readonly to?: "second tenant" | undefined
}

/** The services of one running walk. */
export class Session extends Context.Service<
  Session,
  {
    readonly walk: string
    readonly profile: Profile
    /** Whether a rule is selected. Calls that only other rules need are not sent. */
    readonly isAsked: (rule: string) => boolean
    /**
     * Sends a call and records the exchange, also without a response. Blocks the walk if the caller has no token or the
     * run has used up its requests.
     */
    readonly send: (call: Call) => Effect.Effect<Exchange, Blocked>
    /** Returns the handle of a principal's bearer token and renews it before it expires; undefined if there is none. */
    readonly bearer: (principal: PrincipalName) => Effect.Effect<string | undefined, Blocked>
    /** Returns the handle of a secret by its reference in the profile (`${CONF_SECRET}`), or another text as it is. */
    readonly reveal: (secret: string) => string
    readonly shapeOf: (secret: string) => SecretShape
    /** Makes texts from a secret, such as a token with another signature. Parts that reveal it become handles. */
    readonly derive: (
      what: string,
      secret: string,
      make: (value: string) => ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>>
    /** Returns a unique name: `conf-<run>-<number>x`. */
    readonly unique: Effect.Effect<string>
    /**
     * Runs steps once for all walks of the run, and returns their result to every walk that asks by this name. The walks
     * may use the result at the same time. After a failure the next walk tries again.
     */
    readonly share: <A>(name: string, steps: Effect.Effect<A, Blocked, Session>) => Effect.Effect<A, Blocked>
    /** Counts the calls with this argument in the walk, from 1. */
    readonly count: (what: string) => Effect.Effect<number>
    /** Writes to the journal that a resource is about to be created. Call `made` afterwards. */
    readonly intend: (type: CreatedResource["type"], unique: string, to?: CreatedResource["to"]) => Effect.Effect<void>
    /** Marks a resource for deletion after the walk; `unique` is the name passed to `intend`. */
    readonly made: (made: CreatedResource, unique: string) => Effect.Effect<void>
    /** Records that an intended create was answered and created nothing. */
    readonly refused: (type: CreatedResource["type"], unique: string, to?: CreatedResource["to"]) => Effect.Effect<void>
    /**
     * Opens an address that receives deliveries until the walk ends. It responds 500 to deliveries that `refuses`
     * selects and 200 to others. Blocks the walk if deliveries cannot be received.
     */
    readonly listen: (refuses?: Refuses) => Effect.Effect<Address, Blocked>
    /** Returns a URL for a webhook without deliveries. Requests to it are ignored. */
    readonly closedUrl: (unique: string) => Effect.Effect<string>
    readonly find: (finding: Omit<Finding, "walk">) => Effect.Effect<void>
    /**
     * Computes a value from the characters of secrets, which only `wire` shows. The value is recorded and reused when
     * the run is judged again. Use it for nothing else.
     */
    readonly recordValue: <A>(
      what: string,
      form: Schema.Codec<A, Json>,
      value: (wire: Pick<Handles, "open" | "filled">) => A
    ) => Effect.Effect<A>
    /** Waits on the run's clock. Returns false without waiting if the profile does not allow that long. */
    readonly wait: (seconds: number) => Effect.Effect<boolean>
  }
>()("@wcs/conformance/Session") {}
