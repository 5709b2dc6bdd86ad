import { Context, Effect, Schema } from "effect"
import type { Instant } from "../shared/Instant.ts"
import { Forbidden, type Operation, type PrivilegeRules, type Privileges, type Role, unitsOf } from "./Privilege.ts"
import type { RateLimit } from "./RateLimitTier.ts"

/**
 * Three kinds of token, the legacy surface's password, a browser session, and an external identity provider's token.
 */
export const bearerKinds = ["oauth", "personal", "legacy", "password", "session", "external"] as const

/** `Bearer` on the wire. */
export const BearerFields = Schema.Struct({
  kind: Schema.Literals(bearerKinds).annotate({
    description:
      "oauth: token of an API client. personal: personal access token. session: web login. external: token of an " +
      "identity provider. legacy and password: the legacy surface."
  }),
  id: Schema.String.annotate({
    description:
      "Id of the API client, token, session or identity provider. For a password, the id of the account. Never a secret."
  })
})

/** The bearer that authenticated a call. */
export interface Bearer {
  readonly kind: (typeof bearerKinds)[number]
  /** The id of the OAuth client, token, session or identity provider. For a password, the id of the account. */
  readonly id: string
}

/** The authenticated caller of the current request, the same for every kind of token (AUT-10). */
export class Caller extends Context.Service<
  Caller,
  {
    readonly tenantId: string
    /** The time zone of the tenant. */
    readonly timeZone: string
    /** The account's URN. */
    readonly account: string
    readonly privileges: Privileges
    /** The units whose people the account reaches, with all units below them. Absent if it reaches all people. */
    readonly limitedTo?: ReadonlyArray<string>
    readonly bearer: Bearer
    /** Groups calls for rate limits: the OAuth client, or the user for all of the user's personal tokens. */
    readonly rateLimitKey: string
    /** The account's own limit; null if only the deployment's limit applies. */
    readonly rateLimit: RateLimit | null
    /** The worker that the user of the account is; null if none. */
    readonly workerId: string | null
    /** When the user of a session last authenticated. Absent for other bearers, which need no step-up. */
    readonly authenticatedAt?: Instant
  }
>()("@wcs/domain/Caller") {}

/** Returns what a role lets a caller do, and the limit of the people whom it reaches. */
export const reachOf = (
  { privilegesOf }: Pick<PrivilegeRules["Service"], "privilegesOf">,
  role: Role
): Pick<Caller["Service"], "privileges" | "limitedTo"> => {
  const units = unitsOf(role)
  const privileges = privilegesOf(role)
  return units === undefined ? { privileges } : { privileges, limitedTo: units }
}

/** Fails for a caller who is limited to units: the call is about people of the whole tenant together. */
export const requireUnlimited = (operation: Operation): Effect.Effect<void, Forbidden, Caller> =>
  Effect.flatMap(Caller, ({ account, limitedTo }) =>
    limitedTo === undefined ? Effect.void : Effect.fail(new Forbidden({ account, operation, entityType: "worker" }))
  )

/** Runs what follows from an earlier write of the call. Stores do not check the caller again for it. */
export const withoutCaller = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(effect, (context: Context.Context<R>) => Context.omit(Caller)(context) as Context.Context<R>)
