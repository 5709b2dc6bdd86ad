import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@wcs/domain/access/Caller"
import type { Role } from "@wcs/domain/access/Privilege"
import { Authentication } from "@wcs/domain/authentication/Authentication"
import { Administration } from "@wcs/domain/token/Administration"
import { OAuthClients } from "@wcs/domain/token/OAuthClients"
import { PersonalTokens } from "@wcs/domain/token/PersonalTokens"
import { TokenExchange } from "@wcs/domain/token/TokenExchange"
import { Users } from "@wcs/domain/user/Users"
import { Clock, Effect, Option, type Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { callersTenant, operator, tenant } from "./Deployment.ts"
import { isNewer, withLegacy } from "./LegacyDeployment.ts"

const emails = ["ann@example.org", "bob@example.org"] as const
const place = fc.nat(30)
const who = fc.nat(1)

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
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom(...(["revoke", "cascade"] as const)), which: place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom(...(["demote", "promote"] as const)), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom(...(["deactivate", "activate"] as const)), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(1, 29, 60, 3600) }) }
)
type Step = typeof steps extends fc.Arbitrary<infer One> ? One : never

/** The model's state of a token or client. */
interface Held {
  readonly kind: "token" | "client"
  readonly id: string
  readonly secret: Redacted.Redacted
  readonly owner: number
  readonly maker: Held | null
  /** Unix seconds, or null. */
  readonly expiresAt: number | null
  ended: boolean
}

interface Owner {
  role: Role
}

const comesFrom = (one: Held, root: Held): boolean => one === root || (one.maker !== null && comesFrom(one.maker, root))

const isOver = ({ expiresAt }: Held, now: number): boolean => expiresAt !== null && now >= expiresAt * 1000

/** Creates the model. */
const makeModel = () => {
  const held: Array<Held> = []
  const owners: ReadonlyArray<Owner> = emails.map(() => ({ role: "Super Admin" }))
  const isLive = (one: Held, now: number): boolean => !one.ended && !isOver(one, now)
  const endClientsOf = (owner: number) => {
    for (const one of held) if (one.kind === "client" && one.owner === owner) one.ended = true
  }
  const endAllOf = (owner: number) => {
    for (const one of held) if (one.owner === owner) one.ended = true
  }
  return { held, owners, isLive, endAllOf, endClientsOf }
}

/** Whether a client is granted a token. Each request has its own address, so that no limit applies. */
const isGranted = (tenantId: string, { id, secret }: Held, address: string) =>
  TokenExchange.use(({ exchange }) =>
    exchange({
      tenantId,
      issuer: "wcs",
      address,
      grantType: "client_credentials",
      client: Option.some({ clientId: id, clientSecret: secret }),
      viaBasic: false
    })
  ).pipe(Effect.match({ onFailure: () => false, onSuccess: () => true }))

const walk = Effect.fnUntraced(function* (taken: ReadonlyArray<Step>) {
  const [{ id: tenantId }, users, admin] = [yield* tenant("acme"), yield* Users, yield* Administration]
  const [tokens, clients, { authenticate }] = [yield* PersonalTokens, yield* OAuthClients, yield* Authentication]
  const model = makeModel()
  const { held, owners } = model
  let addresses = 0

  for (const [owner, email] of emails.entries()) {
    yield* admin.createUser(tenantId, email, "Super Admin", operator)
    for (const lifetimeSeconds of [null, 120]) {
      const { secret, token } = yield* admin.createToken(tenantId, email, "root", lifetimeSeconds, operator)
      const { expiresAt, id } = token
      held.push({ kind: "token", id, secret, owner, maker: null, expiresAt, ended: false })
    }
  }

  /** Creates something as a bearer. The result is "no caller", a refusal's tag, or the expiry. */
  const make = Effect.fnUntraced(function* (step: Extract<Step, { readonly by: number }>) {
    const now = yield* Clock.currentTimeMillis
    const maker = held[step.by % held.length]
    if (maker === undefined || maker.kind === "client") return
    const caller = yield* Effect.option(authenticate(callersTenant(tenantId), maker.secret))
    assert.strictEqual(Option.isSome(caller), model.isLive(maker, now))
    if (Option.isNone(caller)) return
    const as = Effect.provideService(Caller, caller.value)
    const { owner } = maker
    if (step.do === "make client") {
      const made = yield* Effect.result(as(clients.create({ name: "made" })))
      if (owners[owner]?.role !== "Super Admin") return assert.strictEqual(made._tag, "Failure")
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

  const take = Effect.fnUntraced(function* (step: Step) {
    switch (step.do) {
      case "make token":
      case "make client":
        return yield* make(step)
      case "revoke":
      case "cascade": {
        const root = held[step.which % held.length]
        if (root === undefined) return
        for (const one of held) if (one === root || (step.do === "cascade" && comesFrom(one, root))) one.ended = true
        const entityType = root.kind === "token" ? "accessToken" : "apiClient"
        const end = root.kind === "token" ? admin.revokeToken : admin.revokeClient
        if (step.do === "revoke") return yield* end(tenantId, root.id, operator)
        return void (yield* admin.revokeTree(tenantId, { entityType, id: root.id }, operator, allowed))
      }
      case "demote":
      case "promote": {
        const [email = "", owner] = [emails[step.who], owners[step.who]]
        const role = step.do === "demote" ? "Admin" : "Super Admin"
        if (owner !== undefined) owner.role = role
        if (step.do === "demote") model.endClientsOf(step.who)
        return void (yield* users.update(tenantId, email, { role }, operator))
      }
      case "deactivate":
      case "activate": {
        const { [step.who]: email = "" } = emails
        if (step.do === "deactivate") model.endAllOf(step.who)
        return void (yield* users.setActive(tenantId, email, step.do === "activate", operator))
      }
      case "wait":
        return yield* TestClock.adjust(step.seconds * 1000)
    }
  })

  for (const step of taken) {
    yield* take(step)
    const now = yield* Clock.currentTimeMillis
    for (const one of held) {
      const isAccepted =
        one.kind === "token"
          ? yield* isNewer(tenantId, one.secret)
          : yield* isGranted(tenantId, one, `198.51.100.${addresses++}`)
      assert.strictEqual(isAccepted, model.isLive(one, now), `${one.kind} after ${JSON.stringify(step)}`)
      for (let { maker } = one; maker !== null; maker = maker.maker) {
        assert.isFalse(isAccepted && isOver(maker, now), `a ${one.kind} outlives its maker`)
      }
    }
  }
})

const allowed = () => Result.succeed(undefined)

describe("tokens and clients", () => {
  it.effect(
    "threat 44: tokens and clients are live exactly when a plain model says so, never after their creator expires",
    () =>
      Effect.flatMap(Effect.context<never>(), (context) =>
        Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 25 }), (taken) =>
              Effect.runPromiseWith(context)(Effect.scoped(withLegacy(walk(taken))))
            )
          )
        )
      ),
    60_000
  )
})
