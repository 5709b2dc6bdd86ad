import { Clock, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { type Account, accountIdOf, accountUrn } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import { tokenLength } from "../access/OpaqueToken.ts"
import { type Operation, PrivilegeRules } from "../access/Privilege.ts"
import { type Actor, type AuditEntry, actorOf, makeAudit } from "../audit/AuditEntry.ts"
import type { ShownPage } from "../resource/Collection.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { ResourceNotFound } from "../resource/Resource.ts"
import { createdAt, revokedAt, time, typeField } from "../resource/ShownFields.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import * as Timeline from "../resource/Timeline.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids, idFormat, isId, SessionId } from "../shared/Id.ts"
import { type Instant, toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import { type CheckedLogin, stillHolds } from "./LoginBasis.ts"
import * as Session from "./Session.ts"
import { SessionStore } from "./SessionStore.ts"

/** A session on the wire, without its token. */
export const SessionDocument = Schema.Struct({
  id: SessionId,
  type: typeField("session"),
  account: Schema.String.annotate({ description: "URN of the session's user." }),
  method: Schema.Literals(Session.signInMethods).annotate({ description: "How the user logged in." }),
  userAgent: Schema.String.annotate({ description: "The browser's User-Agent at login, cut to 200 characters." }),
  createdAt,
  seenAt: time.annotate({ description: "Last use, to the minute." }),
  expiresAt: time.annotate({ description: "Absolute limit. The idle limit may end the session earlier." }),
  revokedAt
})
export type SessionDocument = typeof SessionDocument.Type

/** A new session with its token, which is returned only here. */
export interface NewSession {
  readonly session: Session.Session
  readonly token: Redacted.Redacted
}

/** A successful login. */
export interface SignIn {
  readonly account: Account
  readonly method: Session.SignInMethod
  /** The identity provider of the login, or null. */
  readonly providerId: string | null
  readonly userAgent: string
  /** When the identity provider requires the session to end, or null. */
  readonly providerLimit: Instant | null
  /** When the user authenticated, if before the login: at an identity provider. */
  readonly authenticatedAt?: Instant
  /** What the login has checked. It is compared again when the session is stored. */
  readonly checked: CheckedLogin
}

/** A session to store in the transaction that makes it necessary, with its audit entry. */
export interface SessionDraft extends NewSession {
  readonly audit: AuditEntry
}

/** Browser sessions. Each user manages their own. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** GET of a page: the caller's own sessions, or all with the privilege. Ended sessions count as deleted. */
    readonly list: (query: ListQuery.Query) => Effect.Effect<ShownPage<SessionDocument>, InvalidArgument, Caller>
    /** GET of one session. An ended session is found only with `includeDeleted`. */
    readonly read: (
      id: string,
      query: ListQuery.Query
    ) => Effect.Effect<SessionDocument, InvalidArgument | ResourceNotFound, Caller>
    /** DELETE: ends the session; repeating it changes nothing. */
    readonly remove: (id: string) => Effect.Effect<void, InvalidArgument | ResourceNotFound, Caller | RequestId>
    /** Starts a session after a login. Returns none if the login does not hold any more (`stillHolds`). */
    readonly begin: (signIn: SignIn, actor: Actor) => Effect.Effect<Option.Option<NewSession>>
    /**
     * Replaces the session after step-up, with a new id and token and the same absolute limit. Returns none if the
     * session has ended, or if the step-up does not hold any more.
     */
    readonly renew: (
      session: Session.Session,
      checked: CheckedLogin,
      actor: Actor
    ) => Effect.Effect<Option.Option<NewSession>>
    /** Returns the session that `renew` would store. */
    readonly renewed: (session: Session.Session, actor: Actor) => Effect.Effect<SessionDraft>
    /** The caller's live sessions, newest first, at most 100. */
    readonly own: Effect.Effect<ReadonlyArray<SessionDocument>, never, Caller>
    /** Ends all sessions of the caller except the current one. */
    readonly endOthers: Effect.Effect<void, never, Caller | RequestId>
    /** Ends all sessions of an identity provider. A repeated call ends the sessions started since. */
    readonly endOfProvider: (tenantId: string, providerId: string, actor: Actor) => Effect.Effect<void>
  }
>()("@wcs/domain/Sessions") {}

const sessions = { type: "session", filters: {}, ends: true } as const satisfies Timeline.Timeline<never>

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

const notFound = (id: string) => new ResourceNotFound({ entityType: sessions.type, id })

export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const store = yield* SessionStore
  const digest = yield* Digest
  const rules = yield* PrivilegeRules
  const audited = makeAudit(ids)

  const reachesEverybody = ({ account, privileges }: Caller["Service"], operation: Operation): boolean =>
    Result.isSuccess(rules.authorize(account, privileges, [{ entityType: "session", operation }]))

  /** Mints a session, with its token and its audit entry. */
  const draft = Effect.fnUntraced(function* (
    session: Omit<Session.Session, "id" | "tokenHash">,
    action: "create" | "step up",
    actor: Actor
  ) {
    const token = yield* ids.secret(tokenLength)
    const next: Session.Session = { ...session, id: yield* ids.mint("session"), tokenHash: digest.sha256(token) }
    const auditedAction = { operation: "CREATE", action, entityType: "session", entityId: next.id } as const
    const audit = yield* audited(actor, auditedAction, next.seenAt)
    return { session: next, token: Redacted.make(token), audit } satisfies SessionDraft
  })

  /** Stores a session if its login still holds. */
  const insert = ({ audit, session, token }: SessionDraft, replaces: string | null, checked: CheckedLogin) =>
    Effect.map(
      store.insert(session, audit, replaces, (basis) => stillHolds(checked, basis)),
      (isStored) => (isStored ? Option.some<NewSession>({ session, token }) : Option.none())
    )

  const renewed: Sessions["Service"]["renewed"] = Effect.fnUntraced(function* ({ id: _, ...session }, actor) {
    const now = yield* Clock.currentTimeMillis
    return yield* draft({ ...session, authenticatedAt: now, seenAt: now, revokedAt: null }, "step up", actor)
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

  /** Returns the session with an id, if the caller may run `operation` on it. */
  const findBy = Effect.fnUntraced(function* (operation: Operation, id: string) {
    if (!isId("session", id))
      return yield* new InvalidArgument({ field: "id", reason: `must be ${idFormat("session")}` })
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
      const selection = yield* Effect.fromResult(Timeline.parse(sessions, query))
      const caller = yield* Caller
      const own = { field: "accountId", value: accountIdOf(caller.account) } as const
      const conditions = reachesEverybody(caller, "READ") ? [] : [own]
      return Timeline.shownPage(
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
    begin: Effect.fn("Sessions.begin")(function* (signIn, actor) {
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
      return yield* insert(yield* draft(session, "create", actor), null, signIn.checked)
    }),
    renew: Effect.fn("Sessions.renew")(function* (session, checked, actor) {
      return yield* insert(yield* renewed(session, actor), session.id, checked)
    }),
    renewed,
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
    endOfProvider: Effect.fn("Sessions.endOfProvider")(function* (tenantId, providerId, actor) {
      const at = yield* Clock.currentTimeMillis
      const auditedAction = {
        operation: "DELETE",
        action: "revoke all",
        entityType: "session",
        entityId: providerId
      } as const
      yield* store.revokeOfProvider(tenantId, providerId, at, yield* audited(actor, auditedAction, at))
    })
  })
})

export const layer = Layer.effect(Sessions, make)
