import { Clock, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { type Account, accountIdOf, accountUrn } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import { tokenLength } from "../access/OpaqueToken.ts"
import { type Operation, PrivilegeRules } from "../access/Privilege.ts"
import { type Actor, actorOf, makeAudit } from "../audit/AuditEntry.ts"
import type { ShownPage } from "../resource/Collection.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { ResourceNotFound } from "../resource/Resource.ts"
import * as Series from "../resource/Series.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { Digest } from "../shared/Digest.ts"
import { formOfId, Ids, isId, SessionId } from "../shared/Id.ts"
import { type Instant, toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import * as Session from "./Session.ts"
import { SessionStore } from "./SessionStore.ts"

/** A session as the wire shows it: never its token. */
export const SessionDocument = Schema.Struct({
  id: SessionId,
  type: Schema.Literal("session"),
  account: Schema.String.annotate({ description: "URN of the user of the session." }),
  method: Schema.Literals(Session.signInMethods).annotate({ description: "Login method." }),
  userAgent: Schema.String.annotate({ description: "User-Agent header of the browser." }),
  createdAt: Schema.String.annotate({ format: "date-time" }),
  seenAt: Schema.String.annotate({ format: "date-time", description: "Last use, to the minute." }),
  expiresAt: Schema.String.annotate({
    format: "date-time",
    description: "Absolute expiry. The idle limit can end the session earlier."
  }),
  revokedAt: Schema.NullOr(Schema.String.annotate({ format: "date-time" }))
})
export type SessionDocument = typeof SessionDocument.Type

/** A session at the one moment at which its token is known. */
export interface NewSession {
  readonly session: Session.Session
  readonly token: Redacted.Redacted
}

/** What a login says about itself. */
export interface SignIn {
  readonly account: Account
  readonly method: Session.SignInMethod
  /** The identity provider of the login, or null. */
  readonly providerId: string | null
  readonly userAgent: string
  /** When the identity provider wants the session to end, or null. */
  readonly providerLimit: Instant | null
  /** When the person proved who they are, if that was before the login: at an identity provider. */
  readonly authenticatedAt?: Instant
}

/** Sessions of people in browsers: each person manages their own. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** GET of a page: one's own sessions, or everybody's with the privilege. Ended ones count as deleted. */
    readonly list: (query: ListQuery.Query) => Effect.Effect<ShownPage<SessionDocument>, InvalidArgument, Caller>
    /** GET of one; an ended one only if deleted ones are asked for. */
    readonly read: (
      id: string,
      query: ListQuery.Query
    ) => Effect.Effect<SessionDocument, InvalidArgument | ResourceNotFound, Caller>
    /** DELETE: ends the session. Ending it again changes nothing. */
    readonly remove: (id: string) => Effect.Effect<void, InvalidArgument | ResourceNotFound, Caller | RequestId>
    /** Begins a session after a login. */
    readonly begin: (signIn: SignIn, actor: Actor) => Effect.Effect<NewSession>
    /** Replaces the session after step-up: a new id and token, and the same absolute limit. */
    readonly renew: (session: Session.Session, actor: Actor) => Effect.Effect<NewSession>
    /** The caller's own sessions that were not ended, newest first, at most 100. */
    readonly own: Effect.Effect<ReadonlyArray<SessionDocument>, never, Caller>
    /** Ends every session of the caller but the one at hand. */
    readonly endOthers: Effect.Effect<void, never, Caller | RequestId>
    /** Ends every session of an identity provider. Ending them again ends those that began since. */
    readonly endOfProvider: (tenantId: string, providerId: string, actor: Actor) => Effect.Effect<void>
  }
>()("@wcs/domain/Sessions") {}

const sessions = { type: "session", filters: {}, ends: true } as const satisfies Series.Series<never>

const show = (session: Session.Session): SessionDocument => ({
  id: session.id,
  type: "session",
  account: accountUrn(session.accountId),
  method: session.method,
  userAgent: session.userAgent,
  createdAt: toRfc3339(session.createdAt),
  seenAt: toRfc3339(session.seenAt),
  expiresAt: toRfc3339(session.expiresAt),
  revokedAt: toRfc3339OrNull(session.revokedAt)
})

export const make = Effect.gen(function* () {
  const store = yield* SessionStore
  const digest = yield* Digest
  const ids = yield* Ids
  const rules = yield* PrivilegeRules
  const audited = makeAudit(ids)

  const reachesEverybody = ({ account, privileges }: Caller["Service"], operation: Operation): boolean =>
    Result.isSuccess(rules.authorize(account, privileges, [{ entityType: "session", operation }]))

  const insert = Effect.fnUntraced(function* (
    session: Omit<Session.Session, "id" | "tokenHash">,
    actor: Actor,
    replaces: string | null
  ) {
    const token = yield* ids.secret(tokenLength)
    const next: Session.Session = { ...session, id: yield* ids.mint("session"), tokenHash: digest.sha256(token) }
    const action = replaces === null ? "create" : "step up"
    const auditedAction = { operation: "CREATE", action, entityType: "session", entityId: next.id } as const
    yield* store.insert(next, yield* audited(actor, auditedAction, next.seenAt), replaces)
    return { session: next, token: Redacted.make(token) }
  })

  const begin: Sessions["Service"]["begin"] = Effect.fn("Sessions.begin")(function* (signIn, actor) {
    const now = yield* Clock.currentTimeMillis
    const session = {
      tenantId: signIn.account.tenantId,
      accountId: signIn.account.id,
      method: signIn.method,
      providerId: signIn.providerId,
      userAgent: signIn.userAgent.slice(0, Session.userAgentMaxLength),
      createdAt: now,
      authenticatedAt: Math.min(now, signIn.authenticatedAt ?? now),
      seenAt: now,
      expiresAt: Session.expiryOf(now, signIn.providerLimit),
      revokedAt: null
    }
    return yield* insert(session, actor, null)
  })

  const renew: Sessions["Service"]["renew"] = Effect.fn("Sessions.renew")(function* ({ id, ...session }, actor) {
    const now = yield* Clock.currentTimeMillis
    return yield* insert({ ...session, authenticatedAt: now, seenAt: now, revokedAt: null }, actor, id)
  })

  const endAllBut = Effect.fnUntraced(function* (
    tenantId: string,
    accountId: string,
    keep: string | null,
    actor: Actor
  ) {
    const at = yield* Clock.currentTimeMillis
    const auditedAction = {
      operation: "DELETE",
      action: "revoke all",
      entityType: "session",
      entityId: accountId
    } as const
    yield* store.revokeAll(tenantId, accountId, keep, at, yield* audited(actor, auditedAction, at))
  })

  const endOfProvider: Sessions["Service"]["endOfProvider"] = Effect.fn("Sessions.endOfProvider")(
    function* (tenantId, providerId, actor) {
      const at = yield* Clock.currentTimeMillis
      const auditedAction = {
        operation: "DELETE",
        action: "revoke all",
        entityType: "session",
        entityId: providerId
      } as const
      yield* store.revokeOfProvider(tenantId, providerId, at, yield* audited(actor, auditedAction, at))
    }
  )

  const notFound = (id: string) => new ResourceNotFound({ entityType: sessions.type, id })

  /** The session with an id, if the caller may do this to it. */
  const findBy = Effect.fnUntraced(function* (operation: Operation, id: string) {
    if (!isId("session", id))
      return yield* new InvalidArgument({ field: "id", reason: `must be ${formOfId("session")}` })
    const caller = yield* Caller
    const found = yield* store.findById(caller.tenantId, id)
    const isReached = Option.exists(
      found,
      ({ accountId }) => accountUrn(accountId) === caller.account || reachesEverybody(caller, operation)
    )
    return Option.isSome(found) && isReached ? found.value : yield* notFound(id)
  })

  return Sessions.of({
    list: Effect.fnUntraced(function* (query) {
      const selection = yield* Effect.fromResult(Series.parse(sessions, query))
      const caller = yield* Caller
      const own = { field: "accountId", value: accountIdOf(caller.account) } as const
      const conditions = reachesEverybody(caller, "READ") ? [] : [own]
      return Series.shownPage(
        sessions,
        selection,
        yield* store.page(caller.tenantId, { ...selection, conditions }),
        show
      )
    }),
    read: Effect.fnUntraced(function* (id, query) {
      const { includeDeleted } = yield* Effect.fromResult(ListQuery.parseRead(query))
      const session = yield* findBy("READ", id)
      return isVisible({ deletedAt: session.revokedAt }, includeDeleted) ? show(session) : yield* notFound(id)
    }),
    remove: Effect.fnUntraced(function* (id) {
      yield* findBy("DELETE", id)
      const caller = yield* Caller
      const at = yield* Clock.currentTimeMillis
      const auditedAction = { operation: "DELETE", action: "revoke", entityType: "session", entityId: id } as const
      const found = yield* store.revoke(
        caller.tenantId,
        id,
        at,
        yield* audited(actorOf(caller, yield* RequestId), auditedAction, at)
      )
      if (!found) return yield* notFound(id)
    }),
    begin,
    renew,
    own: Effect.gen(function* () {
      const caller = yield* Caller
      const { items } = yield* store.page(caller.tenantId, {
        conditions: [{ field: "accountId", value: accountIdOf(caller.account) }],
        direction: "desc",
        pageSize: 100,
        after: undefined,
        includeDeleted: false,
        includeTotal: false
      })
      const now = yield* Clock.currentTimeMillis
      return items.filter((session) => Session.isLive(session, now)).map(show)
    }),
    endOthers: Effect.gen(function* () {
      const caller = yield* Caller
      const keep = caller.bearer.kind === "session" ? caller.bearer.id : null
      yield* endAllBut(caller.tenantId, accountIdOf(caller.account), keep, actorOf(caller, yield* RequestId))
    }),
    endOfProvider
  })
})

export const layer: Layer.Layer<Sessions, never, SessionStore | Digest | Ids | PrivilegeRules> = Layer.effect(
  Sessions,
  make
)
