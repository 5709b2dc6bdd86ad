import { Clock, Context, Effect, Layer, Option, type Redacted } from "effect"
import { type Account, accountIdOf } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import type { RateLimited } from "../access/RateLimitTier.ts"
import type { Unauthenticated } from "../access/Unauthenticated.ts"
import { type Actor, actorOf } from "../audit/AuditEntry.ts"
import { type AlreadyEnrolled, type Enrolment, SecondFactors, type WrongCode } from "../second-factor/SecondFactors.ts"
import { SessionStore } from "../session/SessionStore.ts"
import { type NewSession, Sessions } from "../session/Sessions.ts"
import { check, NotASession, type StepUpNeeded } from "../session/StepUp.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import { type Offer, SingleSignOn } from "../single-sign-on/SingleSignOn.ts"
import { AccessStore } from "../token/AccessStore.ts"
import type { PasswordsBusy } from "../user/Passwords.ts"
import { Users } from "../user/Users.ts"
import { PasswordCheck } from "./PasswordCheck.ts"

/** A proof of identity: a code if the account has an app, else the password. */
export interface Proof {
  readonly code: string
  readonly password: Redacted.Redacted
  readonly address: string
}

type OwnCaller = Caller | RequestId

/** The caller's own login: password, second factor and sessions. Only the caller's session can change them. */
export class OwnAccount extends Context.Service<
  OwnAccount,
  {
    /** Whether the caller's account needs a code at login. */
    readonly hasSecondFactor: Effect.Effect<boolean, never, Caller>
    /** The identity provider of the current session, if the user can log in there again. */
    readonly provider: Effect.Effect<Option.Option<Offer>, never, Caller>
    /** Checks the proof and replaces the session with a fresh one. */
    readonly stepUp: (
      proof: Proof
    ) => Effect.Effect<NewSession, NotASession | Unauthenticated | WrongCode | RateLimited | PasswordsBusy, OwnCaller>
    /** Changes the password, ends all sessions and starts a new one. */
    readonly changePassword: (
      current: Redacted.Redacted,
      next: Redacted.Redacted,
      address: string
    ) => Effect.Effect<
      NewSession,
      NotASession | InvalidArgument | Unauthenticated | RateLimited | PasswordsBusy,
      OwnCaller
    >
    /** Starts the enrolment of an app. Needs step-up, as do the methods below. */
    readonly beginSecondFactor: (
      issuer: string
    ) => Effect.Effect<Enrolment, NotASession | StepUpNeeded | AlreadyEnrolled, OwnCaller>
    /** Confirms the enrolment. Returns the recovery codes, which are returned only here. */
    readonly confirmSecondFactor: (
      code: string
    ) => Effect.Effect<
      ReadonlyArray<Redacted.Redacted>,
      NotASession | StepUpNeeded | WrongCode | RateLimited | AlreadyEnrolled,
      OwnCaller
    >
    /** Replaces the recovery codes. Returns the new ones, which are returned only here. */
    readonly renewRecoveryCodes: Effect.Effect<
      ReadonlyArray<Redacted.Redacted>,
      NotASession | StepUpNeeded | WrongCode,
      OwnCaller
    >
    /** Ends the current session. */
    readonly logOut: Effect.Effect<void, NotASession, OwnCaller>
  }
>()("@wcs/domain/OwnAccount") {}

/** The caller with its account and actor. */
interface Own {
  readonly caller: Caller["Service"]
  readonly account: Account
  readonly actor: Actor
}

export const make = Effect.gen(function* () {
  const access = yield* AccessStore
  const store = yield* SessionStore
  const sessions = yield* Sessions
  const factors = yield* SecondFactors
  const passwords = yield* PasswordCheck
  const users = yield* Users
  const singleSignOn = yield* SingleSignOn

  const accountOf = ({ account, tenantId }: Caller["Service"]) =>
    Effect.flatMap(
      access.findAccount(tenantId, accountIdOf(account)),
      Option.match({
        // Accounts are never deleted, and this account has just authenticated.
        onNone: () => Effect.die(new Error(`${account} is not stored`)),
        onSome: Effect.succeed
      })
    )

  const own: Effect.Effect<Own, NotASession, OwnCaller> = Effect.gen(function* () {
    const caller = yield* Caller
    if (caller.bearer.kind !== "session") return yield* new NotASession()
    return { caller, account: yield* accountOf(caller), actor: actorOf(caller, yield* RequestId) }
  })

  const fresh: Effect.Effect<Own, NotASession | StepUpNeeded, OwnCaller> = Effect.gen(function* () {
    const found = yield* own
    yield* Effect.fromResult(check({ takesTokens: false }, found.caller, yield* Clock.currentTimeMillis))
    return found
  })

  const sessionOf = Effect.fnUntraced(function* ({ bearer, tenantId }: Caller["Service"]) {
    const session = yield* store.findById(tenantId, bearer.id)
    return Option.isSome(session) ? session.value : yield* new NotASession()
  })

  /** Checks a proof of identity. */
  const prove = Effect.fnUntraced(function* ({ account, caller }: Own, { address, code, password }: Proof) {
    const knownDevice = caller.bearer.id // a session counts as its own device, so strangers cannot lock it out
    if (yield* factors.isInForce(account)) {
      yield* factors.takeCode(account, { code, knownDevice })
      return { hasSecondFactor: true }
    }
    const attempt = { username: account.email ?? "", password, address, knownDevice }
    const { passwordHash } = yield* passwords.check(account.tenantId, attempt)
    return { hasSecondFactor: false, passwordHash }
  })

  return OwnAccount.of({
    hasSecondFactor: Caller.use((caller) => Effect.flatMap(accountOf(caller), factors.isInForce)),
    provider: Effect.gen(function* () {
      const caller = yield* Caller
      const session = yield* store.findById(caller.tenantId, caller.bearer.id)
      const providerId = Option.getOrNull(session)?.providerId ?? null
      return providerId === null ? Option.none() : yield* singleSignOn.offerTo(yield* accountOf(caller), providerId)
    }),
    stepUp: Effect.fn("OwnAccount.stepUp")(function* (proof) {
      const found = yield* own
      const session = yield* sessionOf(found.caller)
      const renewed = yield* sessions.renew(session, yield* prove(found, proof), found.actor)
      return Option.isSome(renewed) ? renewed.value : yield* new NotASession()
    }),
    changePassword: Effect.fn("OwnAccount.changePassword")(function* (current, next, address) {
      const { account, actor, caller } = yield* own
      const checked = yield* passwords.check(account.tenantId, {
        username: account.email ?? "",
        password: current,
        address,
        knownDevice: caller.bearer.id
      })
      const session = yield* sessions.renewed(yield* sessionOf(caller), actor)
      yield* users.changePassword(checked, next, session, actor)
      return session
    }),
    beginSecondFactor: Effect.fn("OwnAccount.beginSecondFactor")(function* (issuer) {
      const { account } = yield* fresh
      return yield* factors.begin(account, issuer)
    }),
    confirmSecondFactor: Effect.fn("OwnAccount.confirmSecondFactor")(function* (code) {
      const { account, actor, caller } = yield* fresh
      return yield* factors.confirm(account, { code, knownDevice: caller.bearer.id }, actor)
    }),
    renewRecoveryCodes: Effect.gen(function* () {
      const { account, actor } = yield* fresh
      return yield* factors.renewRecoveryCodes(account, actor)
    }).pipe(Effect.withSpan("OwnAccount.renewRecoveryCodes")),
    logOut: Effect.gen(function* () {
      const { caller } = yield* own
      yield* Effect.orDie(sessions.remove(caller.bearer.id))
    }).pipe(Effect.withSpan("OwnAccount.logOut"))
  })
})

export const layer = Layer.effect(OwnAccount, make)
