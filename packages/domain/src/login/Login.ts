import { Clock, Context, Data, Effect, Layer, Option, Redacted } from "effect"
import { type Account, accountUrn, normalizeEmail } from "../access/Account.ts"
import type { RateLimited } from "../access/RateLimitTier.ts"
import type { Tenant } from "../access/Tenant.ts"
import { Unauthenticated } from "../access/Unauthenticated.ts"
import type { Actor } from "../audit/AuditEntry.ts"
import { EventStore } from "../audit/EventStore.ts"
import { isRequired, isRequiredOfAll } from "../second-factor/SecondFactor.ts"
import { type AlreadyEnrolled, type Enrolment, SecondFactors, type WrongCode } from "../second-factor/SecondFactors.ts"
import { sealedTokens } from "../session/SealedToken.ts"
import { type NewSession, Sessions } from "../session/Sessions.ts"
import { dayAt } from "../shared/CalendarDay.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Id.ts"
import { RequestId } from "../shared/RequestId.ts"
import { Seal } from "../shared/Seal.ts"
import { type Offer, SingleSignOn } from "../single-sign-on/SingleSignOn.ts"
import { AccessStore } from "../token/AccessStore.ts"
import { makeRecentReset } from "../user/FactorNotice.ts"
import type { PasswordsBusy } from "../user/Passwords.ts"
import type { User } from "../user/User.ts"
import { UserStore } from "../user/UserStore.ts"
import * as HalfLogin from "./HalfLogin.ts"
import * as KnownDevice from "./KnownDevice.ts"
import { PasswordCheck } from "./PasswordCheck.ts"

/**
 * The half login has expired, is forged or belongs to another tenant, or the password changed. The person must log in
 * again.
 */
export class NoHalfLogin extends Data.TaggedError("NoHalfLogin") {}

/** Users of this email domain must log in through an identity provider. The password was right. */
export class SingleSignOnRequired extends Data.TaggedError("SingleSignOnRequired")<{ readonly offer: Offer }> {}

/** The browser of a request. */
export interface Browser {
  readonly address: string
  readonly userAgent: string
  /** The known-device cookie, empty if there is none. */
  readonly device: Redacted.Redacted
}

/** A finished login. */
export interface SignedIn {
  readonly _tag: "SignedIn"
  readonly session: NewSession
  /** Marks this browser as known from now on. */
  readonly device: Redacted.Redacted
  /** The recovery codes of an app that was enrolled in this login, returned only here; else none. */
  readonly recoveryCodes: ReadonlyArray<Redacted.Redacted>
}

/** A login with the right password that still needs a second factor. */
export interface HalfSignedIn {
  readonly _tag: "HalfSignedIn"
  readonly needs: HalfLogin.HalfLogin["needs"]
  readonly token: Redacted.Redacted
}

/** A code and the half login to complete. */
export interface SecondStep {
  readonly half: Redacted.Redacted
  readonly code: string
}

/** Logs people in with password and second factor (§5.2, item 9). */
export class Login extends Context.Service<
  Login,
  {
    /** The first step. Returns a half login if the user has an app, or must enrol one by `isRequired`; else logs in. */
    readonly password: (
      tenant: Tenant,
      email: string,
      password: Redacted.Redacted,
      browser: Browser
    ) => Effect.Effect<
      SignedIn | HalfSignedIn,
      Unauthenticated | SingleSignOnRequired | RateLimited | PasswordsBusy,
      RequestId
    >
    /** The second step, with a code of the app. */
    readonly code: (
      tenant: Tenant,
      step: SecondStep,
      browser: Browser
    ) => Effect.Effect<SignedIn, NoHalfLogin | WrongCode | RateLimited, RequestId>
    /** The second step, with a recovery code. */
    readonly recoveryCode: (
      tenant: Tenant,
      step: SecondStep,
      browser: Browser
    ) => Effect.Effect<SignedIn, NoHalfLogin | WrongCode | RateLimited, RequestId>
    /** Whether the app of a half login that needs an enrolment was reset lately. False for a half login that has ended. */
    readonly wasReset: (tenant: Tenant, half: Redacted.Redacted) => Effect.Effect<boolean>
    /** Starts the enrolment that a half login needs. */
    readonly enrol: (tenant: Tenant, half: Redacted.Redacted) => Effect.Effect<Enrolment, NoHalfLogin | AlreadyEnrolled>
    /** Confirms the enrolment and logs in. */
    readonly confirm: (
      tenant: Tenant,
      step: SecondStep,
      browser: Browser
    ) => Effect.Effect<SignedIn, NoHalfLogin | WrongCode | RateLimited | AlreadyEnrolled, RequestId>
  }
>()("@wcs/domain/Login") {}

const actorFor = (account: Account) =>
  Effect.map(RequestId, (requestId): Actor => ({ account: accountUrn(account.id), bearer: null, requestId }))

/** A code cannot log in for a half login that does not hold any more. */
const orNoHalfLogin = Effect.flatMap(
  Option.match({
    onNone: () => Effect.fail(new NoHalfLogin()),
    onSome: (signedIn: SignedIn) => Effect.succeed(signedIn)
  })
)

export const make = Effect.gen(function* () {
  const seal = yield* Seal
  const access = yield* AccessStore
  const users = yield* UserStore
  const passwords = yield* PasswordCheck
  const factors = yield* SecondFactors
  const sessions = yield* Sessions
  const singleSignOn = yield* SingleSignOn
  const digest = yield* Digest
  const ids = yield* Ids
  const recentReset = makeRecentReset(yield* EventStore)
  const halves = sealedTokens(seal, HalfLogin.purpose, HalfLogin.HalfLogin)
  const devices = sealedTokens(seal, KnownDevice.purpose, KnownDevice.KnownDevice)

  const passwordDigestOf = ({ passwordHash }: User): string => digest.sha256(passwordHash ?? "")

  /** Returns the id of the user's known device, if this browser is one. */
  const deviceOf = Effect.fnUntraced(function* (user: User, { device }: Browser) {
    const known = yield* devices.read(device)
    return Option.getOrNull(
      Option.map(
        Option.filter(
          known,
          ({ email, passwordDigest, tenantId }) =>
            tenantId === user.account.tenantId &&
            email === user.account.email &&
            passwordDigest === passwordDigestOf(user)
        ),
        ({ id }) => id
      )
    )
  })

  /**
   * Returns the known device of the user with this email before the password is checked. Its failures are counted
   * separately.
   */
  const claimedDevice = Effect.fnUntraced(function* (tenantId: string, email: string, browser: Browser) {
    if (Redacted.value(browser.device) === "") return null
    const user = yield* users.findByEmail(tenantId, email)
    return Option.isSome(user) ? yield* deviceOf(user.value, browser) : null
  })

  /** Starts the session of a login. Returns none if the login does not hold any more. */
  const signIn = Effect.fnUntraced(function* (
    user: User,
    browser: Browser,
    hasSecondFactor: boolean,
    recoveryCodes: ReadonlyArray<Redacted.Redacted> = []
  ): Effect.fn.Return<Option.Option<SignedIn>, never, RequestId> {
    const { account, passwordHash } = user
    const { userAgent } = browser
    const checked = { passwordHash, hasSecondFactor }
    const session = yield* sessions.begin(
      { account, method: "password", providerId: null, userAgent, providerLimit: null, checked },
      yield* actorFor(account)
    )
    if (Option.isNone(session)) return Option.none()
    const id = (yield* deviceOf(user, browser)) ?? (yield* ids.secret(16))
    const known = {
      id,
      tenantId: account.tenantId,
      email: account.email ?? "",
      passwordDigest: passwordDigestOf(user)
    }
    const device = yield* devices.make(known, KnownDevice.lifetimeMillis)
    return Option.some({ _tag: "SignedIn", session: session.value, device, recoveryCodes })
  })

  /** Returns the current user of a half login. */
  const userOf = Effect.fnUntraced(function* (tenant: Tenant, token: Redacted.Redacted, needs: HalfSignedIn["needs"]) {
    const half = yield* halves.read(token)
    if (Option.isNone(half) || half.value.tenantId !== tenant.id || half.value.needs !== needs) {
      return yield* new NoHalfLogin()
    }
    const account = yield* access.findAccount(tenant.id, half.value.accountId)
    const email = Option.getOrNull(account)?.email ?? ""
    const user = yield* users.findByEmail(tenant.id, email)
    const isSame = Option.exists(
      user,
      (found) => found.account.deactivatedAt === null && passwordDigestOf(found) === half.value.passwordDigest
    )
    return Option.isSome(user) && isSame ? user.value : yield* new NoHalfLogin()
  })

  return Login.of({
    password: Effect.fn("Login.password")(function* (tenant, email, text, browser) {
      const knownDevice = yield* claimedDevice(tenant.id, normalizeEmail(email), browser)
      const attempt = { username: email, password: text, address: browser.address, knownDevice }
      const user = yield* passwords.check(tenant.id, attempt)
      const { account } = user
      const required = yield* singleSignOn.requiredFor(tenant.id, account)
      if (Option.isSome(required)) return yield* new SingleSignOnRequired({ offer: required.value })
      const isInForce = yield* factors.isInForce(account)
      const today = dayAt(yield* Clock.currentTimeMillis, tenant.timeZone)
      const ofAll = isRequiredOfAll(tenant.secondFactorFrom, today)
      if (!isInForce && !isRequired(account.role, Redacted.value(text), ofAll)) {
        const signedIn = yield* signIn(user, browser, false)
        return Option.isSome(signedIn) ? signedIn.value : yield* new Unauthenticated()
      }
      const needs = isInForce ? "code" : "enrolment"
      const half = {
        tenantId: tenant.id,
        accountId: account.id,
        passwordDigest: passwordDigestOf(user),
        needs
      } as const
      return { _tag: "HalfSignedIn", needs, token: yield* halves.make(half, HalfLogin.lifetimeMillis) } as const
    }),
    code: Effect.fn("Login.code")(function* (tenant, step, browser) {
      const user = yield* userOf(tenant, step.half, "code")
      yield* factors.takeCode(user.account, {
        code: step.code,
        knownDevice: yield* deviceOf(user, browser)
      })
      return yield* orNoHalfLogin(signIn(user, browser, true))
    }),
    recoveryCode: Effect.fn("Login.recoveryCode")(function* (tenant, step, browser) {
      const user = yield* userOf(tenant, step.half, "code")
      const attempt = { code: step.code, knownDevice: yield* deviceOf(user, browser) }
      yield* factors.takeRecoveryCode(user.account, attempt, yield* actorFor(user.account))
      return yield* orNoHalfLogin(signIn(user, browser, true))
    }),
    wasReset: (tenant, half) =>
      userOf(tenant, half, "enrolment").pipe(
        Effect.flatMap(({ account }) => recentReset(tenant.id, account.id)),
        Effect.match({ onFailure: () => false, onSuccess: (at) => at !== undefined })
      ),
    enrol: Effect.fn("Login.enrol")(function* (tenant, half) {
      const { account } = yield* userOf(tenant, half, "enrolment")
      return yield* factors.begin(account, tenant.name)
    }),
    confirm: Effect.fn("Login.confirm")(function* (tenant, step, browser) {
      const user = yield* userOf(tenant, step.half, "enrolment")
      const attempt = { code: step.code, knownDevice: yield* deviceOf(user, browser) }
      const codes = yield* factors.confirm(user.account, attempt, yield* actorFor(user.account))
      return yield* orNoHalfLogin(signIn(user, browser, true, codes))
    })
  })
})

export const layer = Layer.effect(Login, make)
