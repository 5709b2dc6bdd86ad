import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@wcs/domain/access/Caller"
import { Authentication } from "@wcs/domain/authentication/Authentication"
import type { LegacyCallerOf } from "@wcs/domain/legacy/LegacyAuthentication"
import { Administration } from "@wcs/domain/token/Administration"
import { OAuthClients } from "@wcs/domain/token/OAuthClients"
import { PersonalTokens } from "@wcs/domain/token/PersonalTokens"
import { TokenExchange } from "@wcs/domain/token/TokenExchange"
import { Users } from "@wcs/domain/user/Users"
import { digits } from "@wcs/store-suite/Fixtures"
import { check } from "@wcs/store-suite/Property"
import { Clock, Effect, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import {
  callersTenant,
  isLegacy,
  isNewer,
  issueTo,
  login,
  operator,
  password,
  putUser,
  tenant,
  told,
  withUseCases
} from "./UseCases.ts"

const emails = ["ann@example.org", "bob@example.org"] as const
const place = fc.nat(30)
const who = fc.nat(1)
const day = 24 * 3600 * 1000

const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("make token" as const),
      by: place,
      lifetimeSeconds: fc.constantFrom(undefined, null, 30, 90, 3600)
    })
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("make client" as const), by: place }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("log in" as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("issue to who logged in before" as const), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom(...(["revoke", "cascade"] as const)), which: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom(...(["demote", "promote"] as const)), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom(...(["deactivate", "activate"] as const)), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom(...(["unverify", "end legacy tokens"] as const)), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("set password" as const), who, isSame: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      millis: fc.constantFrom(1, 999, 29_000, 60_000, 3_600_000, 9 * day)
    })
  },
  /** Waits until the last millisecond of something's validity, or until the first one after it. */
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("near the end" as const), which: place, after: fc.boolean() })
  }
)
type Step = typeof steps extends fc.Arbitrary<infer One> ? One : never

/** The model's state of a personal token, an OAuth client or a legacy token. */
interface Held {
  readonly kind: "token" | "client" | "legacy"
  readonly id: string
  readonly secret: Redacted.Redacted
  readonly owner: Owner
  readonly maker: Held | null
  /** Unix seconds, or null. */
  readonly expiresAt: number | null
  ended: boolean
  /** The last access token of a client. */
  access?: { readonly token: Redacted.Redacted; readonly expiresAt: number }
}

interface Owner {
  readonly email: string
  isSuperAdmin: boolean
  isActive: boolean
  password: string
  passwords: number
  /** The last legacy login, and which password it used. */
  before?: { readonly caller: LegacyCallerOf; readonly nth: number }
}

const comesFrom = (one: Held, root: Held): boolean => one === root || (one.maker !== null && comesFrom(one.maker, root))

const isOver = ({ expiresAt }: Pick<Held, "expiresAt">, now: number): boolean =>
  expiresAt !== null && now >= expiresAt * 1000

const isLive = (one: Held, now: number): boolean => !one.ended && !isOver(one, now)

let addresses = 0

/** An address that no other request has, so that no limit applies. */
const freshAddress = (): string => {
  const n = addresses++
  return `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
}

/** Takes the steps. After each, compares what is accepted with the model. */
const walk = Effect.fnUntraced(function* (taken: ReadonlyArray<Step>) {
  yield* TestClock.adjust("1 minute") // The limits of logins count anew.
  const [{ id: tenantId }, users, admin] = [yield* tenant(`acme-${digits()}`), yield* Users, yield* Administration]
  const [tokens, clients, { authenticate }] = [yield* PersonalTokens, yield* OAuthClients, yield* Authentication]
  const { exchange } = yield* TokenExchange
  const held: Array<Held> = []
  const owners: Array<Owner> = []

  for (const email of emails) {
    yield* putUser(tenantId, email, "Super Admin")
    const owner = { email, isSuperAdmin: true, isActive: true, password, passwords: 1 }
    owners.push(owner)
    for (const lifetimeSeconds of [null, 120]) {
      const { secret, token } = yield* admin.createToken(tenantId, email, "root", lifetimeSeconds, operator)
      const { expiresAt, id } = token
      held.push({ kind: "token", id, secret, owner, maker: null, expiresAt, ended: false })
    }
  }

  const end = (which: (one: Held) => boolean) => {
    for (const one of held) if (which(one)) one.ended = true
  }

  /** Creates something as a bearer, if the bearer is live and a personal token. */
  const make = Effect.fnUntraced(function* (step: Extract<Step, { readonly by: number }>) {
    const now = yield* Clock.currentTimeMillis
    const maker = held[step.by % held.length]
    if (maker?.kind !== "token") return
    const caller = yield* Effect.option(authenticate(callersTenant(tenantId), maker.secret))
    assert.strictEqual(Option.isSome(caller), isLive(maker, now))
    if (Option.isNone(caller)) return
    const as = Effect.provideService(Caller, caller.value)
    const { owner } = maker
    if (step.do === "make client") {
      const made = yield* Effect.result(as(clients.create({ name: "made" })))
      if (!owner.isSuperAdmin) return assert.strictEqual(made._tag, "Failure")
      if (made._tag === "Failure") return assert.fail(made.failure._tag)
      const { document, secret } = made.success
      const { expiresAt } = maker
      return void held.push({ kind: "client", id: document.id, secret, owner, maker, expiresAt, ended: false })
    }
    const { lifetimeSeconds } = step
    const write = { name: "made", ...(lifetimeSeconds === undefined ? {} : { expiresInSeconds: lifetimeSeconds }) }
    const made = yield* Effect.result(as(tokens.create(write)))
    const asked = typeof lifetimeSeconds === "number" ? Math.floor(now / 1000) + lifetimeSeconds : null
    const isTooLong = maker.expiresAt !== null && lifetimeSeconds !== undefined
    if (isTooLong && (asked === null || asked > (maker.expiresAt ?? 0))) {
      return assert.strictEqual(made._tag === "Failure" && made.failure._tag, "OutlivesMaker")
    }
    if (made._tag === "Failure") return assert.fail(made.failure._tag)
    const expiresAt = lifetimeSeconds === undefined ? maker.expiresAt : asked
    const { document, secret } = made.success
    assert.strictEqual(document.expiresAt === null ? null : Date.parse(document.expiresAt) / 1000, expiresAt)
    held.push({ kind: "token", id: document.id, secret, owner, maker, expiresAt, ended: false })
  })

  const issue = Effect.fnUntraced(function* (owner: Owner, caller: LegacyCallerOf) {
    const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const { expiresAt, id, token } = yield* issueTo(caller)
    assert.strictEqual(expiresAt, seconds + 30 * 24 * 3600)
    held.push({ kind: "legacy", id, secret: token, owner, maker: null, expiresAt, ended: false })
  })

  const ofOwner = Effect.fnUntraced(function* (owner: Owner, step: Extract<Step, { readonly who: number }>) {
    const { email } = owner
    switch (step.do) {
      case "log in":
        if (!owner.isActive) {
          assert.strictEqual(yield* told(tenantId, email, owner.password), "Unauthenticated")
          return yield* TestClock.adjust(60_000) // more attempts in the window would lock the name
        }
        owner.before = { caller: yield* login(tenantId, email, owner.password), nth: owner.passwords }
        return yield* issue(owner, owner.before.caller)
      case "issue to who logged in before": {
        if (owner.before === undefined) return
        const { caller, nth } = owner.before
        if (owner.isActive && nth === owner.passwords) return yield* issue(owner, caller)
        return assert.strictEqual((yield* Effect.flip(issueTo(caller)))._tag, "Unauthenticated")
      }
      case "demote":
      case "promote":
        owner.isSuperAdmin = step.do === "promote"
        if (!owner.isSuperAdmin) end((one) => one.kind === "client" && one.owner === owner)
        return yield* users.update(tenantId, email, { role: owner.isSuperAdmin ? "Super Admin" : "Admin" }, operator)
      case "deactivate":
      case "activate":
        owner.isActive = step.do === "activate"
        if (!owner.isActive) end((one) => one.owner === owner)
        return yield* users.setActive(tenantId, email, owner.isActive, operator)
      case "unverify":
        return yield* users.setVerified(tenantId, email, false, operator)
      case "end legacy tokens":
        end((one) => one.kind === "legacy" && one.owner === owner)
        return yield* users.endTokens(tenantId, email, operator)
      case "set password":
        end((one) => one.kind === "legacy" && one.owner === owner)
        owner.passwords++
        if (!step.isSame) owner.password = `password ${owner.passwords}`
        return yield* users.setPassword(tenantId, email, Redacted.make(owner.password), operator)
    }
  })

  const take = Effect.fnUntraced(function* (step: Step) {
    if ("by" in step) return yield* make(step)
    if ("who" in step) {
      const { [step.who]: owner } = owners
      return owner === undefined ? undefined : yield* ofOwner(owner, step)
    }
    if (step.do === "wait") return yield* TestClock.adjust(step.millis)
    const root = held[step.which % held.length]
    if (root === undefined) return
    if (step.do === "near the end") {
      const at = (root.expiresAt ?? 0) * 1000 - (step.after ? 0 : 1)
      return at > (yield* Clock.currentTimeMillis) ? yield* TestClock.setTime(at) : undefined
    }
    end((one) => one === root || (step.do === "cascade" && comesFrom(one, root)))
    // An expired legacy token may have been deleted.
    if (root.kind === "legacy") return yield* Effect.ignore(users.revokeToken(tenantId, root.id, operator))
    const entityType = root.kind === "token" ? "accessToken" : "apiClient"
    const revoke = root.kind === "token" ? admin.revokeToken : admin.revokeClient
    if (step.do === "revoke") return yield* revoke(tenantId, root.id, operator)
    return yield* admin.revokeTree(tenantId, { entityType, id: root.id }, operator, allowed)
  })

  /** Whether a client is granted a token. */
  const isGranted = Effect.fnUntraced(function* (one: Held, now: number) {
    const { access } = one
    if (access !== undefined) {
      const isAccepted = isLive(one, now) && !isOver(access, now)
      assert.strictEqual(yield* isNewer(tenantId, access.token), isAccepted, "an access token")
      assert.isFalse(yield* isLegacy(tenantId, access.token), "an access token on the legacy surface")
    }
    const granted = yield* Effect.option(
      exchange({
        tenantId,
        issuer: "wcs",
        address: freshAddress(),
        grantType: "client_credentials",
        client: Option.some({ clientId: one.id, clientSecret: one.secret }),
        viaBasic: false
      })
    )
    if (Option.isSome(granted) && (access === undefined || isOver(access, now))) {
      const { accessToken, expiresInSeconds } = granted.value
      const left = (one.expiresAt ?? Number.POSITIVE_INFINITY) - Math.floor(now / 1000)
      assert.strictEqual(expiresInSeconds, Math.min(3600, left))
      one.access = { token: accessToken, expiresAt: Math.floor(now / 1000) + expiresInSeconds }
    }
    return Option.isSome(granted)
  })

  for (const step of taken) {
    yield* take(step)
    const now = yield* Clock.currentTimeMillis
    for (const one of held) {
      const isAccepted =
        one.kind === "client"
          ? yield* isGranted(one, now)
          : yield* (one.kind === "token" ? isNewer : isLegacy)(tenantId, one.secret)
      assert.strictEqual(isAccepted, isLive(one, now), `${one.kind} after ${JSON.stringify(step)}`)
      const isElsewhere = one.kind === "legacy" ? isNewer : isLegacy
      assert.isFalse(yield* isElsewhere(tenantId, one.secret), `a ${one.kind} on the other surface`)
      for (let { maker } = one; maker !== null; maker = maker.maker) {
        assert.isFalse(isAccepted && isOver(maker, now), `a ${one.kind} outlives its maker`)
      }
    }
  }
})

const allowed = () => Result.succeed(undefined)

describe("tokens and clients", () => {
  it.effect(
    "OAU-06, LEG-08, LEG-17, LEG-19, LEG-31, AUT-05, threats 6, 7, 44: are accepted exactly when a plain model accepts them",
    () => check(fc.array(steps, { minLength: 1, maxLength: 30 }), walk, { numRuns: 40 }).pipe(withUseCases),
    120_000
  )
})
