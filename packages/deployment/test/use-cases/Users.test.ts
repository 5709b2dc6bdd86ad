import { assert, describe, it } from "@effect/vitest"
import { accountUrn } from "@wcs/domain/access/Account"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import type { Actor } from "@wcs/domain/audit/AuditEntry"
import { Authentication } from "@wcs/domain/authentication/Authentication"
import { LegacyAuthentication } from "@wcs/domain/legacy/LegacyAuthentication"
import { Administration } from "@wcs/domain/token/Administration"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Users } from "@wcs/domain/user/Users"
import { Effect, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import {
  auditOf,
  callersTenant,
  isLegacy,
  issueTo,
  login,
  operator,
  password,
  putUser,
  tenant,
  told,
  withUseCases
} from "./UseCases.ts"

const email = "ann@example.org"
const actor: Actor = { ...operator, account: "urn:wcs:account:acc_0000000000000000" }

/** A tenant with one user. */
const prepared = Effect.gen(function* () {
  const { id: tenantId } = yield* tenant("acme")
  const user = yield* putUser(tenantId, email)
  return { tenantId, user, users: yield* Users }
})

const stored = (tenantId: string) =>
  Effect.map(
    UserStore.use((store) => store.findByEmail(tenantId, email)),
    Option.getOrThrow
  )

describe("Users", () => {
  it.effect("changes only the given fields of a user", () =>
    Effect.gen(function* () {
      const { tenantId, user, users } = yield* prepared
      const named = yield* users.update(tenantId, " ANN@example.org", { firstName: " Zoë " }, actor)
      assert.deepStrictEqual(named, { ...user, firstName: "Zoë" })
      const other = yield* users.update(tenantId, email, { surname: "O'Neil", role: ["worker:READ"] }, actor)
      const account = { ...user.account, role: ["worker:READ"] as const }
      assert.deepStrictEqual(other, { ...named, surname: "O'Neil", account })
      assert.deepStrictEqual(yield* stored(tenantId), other)
    }).pipe(withUseCases)
  )

  it.effect("LEG-17: a legacy token of the operator expires as requested", () =>
    Effect.gen(function* () {
      const { tenantId, user, users } = yield* prepared
      const before = yield* auditOf(tenantId)
      const { expiresAt, id, issuedAt, token } = yield* users.createToken(tenantId, " ANN@example.org", 60, actor)
      assert.strictEqual(expiresAt - issuedAt, 60)
      const [entry, ...more] = (yield* auditOf(tenantId)).slice(before.length)
      assert.deepInclude(entry, { ...actor, action: "create", entityType: "legacyToken", entityId: id })
      assert.deepStrictEqual(more, [])
      const { caller } = yield* LegacyAuthentication.use(({ bearer }) => bearer(callersTenant(tenantId), token))
      assert.deepStrictEqual([caller.bearer, caller.account], [{ kind: "legacy", id }, accountUrn(user.account.id)])
      yield* TestClock.adjust("61 seconds")
      assert.isFalse(yield* isLegacy(tenantId, token))

      for (const seconds of [0, -1, 1.5, 90 * 24 * 3600 + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
        const refusal = yield* Effect.flip(users.createToken(tenantId, email, seconds, actor))
        assert.deepInclude(refusal, { _tag: "InvalidArgument", field: "lifetimeSeconds" })
      }
      yield* users.setActive(tenantId, email, false, actor)
      for (const who of [email, "nobody@example.org"]) {
        const refusal = yield* Effect.flip(users.createToken(tenantId, who, 60, actor))
        assert.deepInclude(refusal, { _tag: "NoSuch", what: "user" })
      }
    }).pipe(withUseCases)
  )

  it.effect("refuses a bad name, password or ABN and names the field; does not create a missing user", () =>
    Effect.gen(function* () {
      const { tenantId, user, users } = yield* prepared
      const before = yield* auditOf(tenantId)
      const longest = "x".repeat(100)
      type Refused = Effect.Effect<unknown, { readonly _tag: string; readonly field?: string }>
      const refused: ReadonlyArray<readonly [string, Refused]> = [
        ["firstName", users.update(tenantId, email, { firstName: " " }, actor)],
        ["firstName", users.update(tenantId, email, { firstName: `${longest}x` }, actor)],
        ["surname", users.update(tenantId, email, { surname: "a\nb" }, actor)],
        ["password", users.setPassword(tenantId, email, Redacted.make("short"), actor)],
        ["abn", users.setAbn(tenantId, "51 824 753 557", actor)]
      ]
      for (const [field, refusal] of refused) {
        const error = yield* Effect.flip(refusal)
        assert.strictEqual(error._tag === "InvalidArgument" ? error.field : error._tag, field)
      }
      const nobody = "nobody@example.org"
      const missing: ReadonlyArray<Refused> = [
        users.update(tenantId, nobody, {}, actor),
        users.setPassword(tenantId, nobody, Redacted.make(password), actor),
        users.setVerified(tenantId, nobody, true, actor),
        users.setActive(tenantId, nobody, false, actor),
        users.endTokens(tenantId, nobody, actor),
        users.revokeToken(tenantId, "01K0000000000000000000TEST", actor)
      ]
      for (const call of missing) assert.strictEqual((yield* Effect.flip(call))._tag, "NoSuch")
      assert.deepStrictEqual(yield* stored(tenantId), user)
      assert.deepStrictEqual(yield* auditOf(tenantId), before)
      yield* users.update(tenantId, email, { firstName: longest }, actor)
      yield* users.setAbn(tenantId, "51 824 753 556", actor)
      const { abn } = yield* UserStore.use((store) => store.organization(tenantId))
      assert.strictEqual(abn, "51824753556")
    }).pipe(withUseCases)
  )

  it.effect("replaces the old password immediately", () =>
    Effect.gen(function* () {
      const { tenantId, users } = yield* prepared
      yield* users.setPassword(tenantId, email, Redacted.make("battery staple"), actor)
      assert.strictEqual(yield* told(tenantId, email, "battery staple"), "in")
      assert.strictEqual(yield* told(tenantId, email, password), "Unauthenticated")
    }).pipe(withUseCases)
  )

  it.effect("applies a changed role to the next call on both surfaces, with tokens already used", () =>
    Effect.gen(function* () {
      const { tenantId, users } = yield* prepared
      const { secret } = yield* Administration.use((admin) => admin.createToken(tenantId, email, "ci", null, operator))
      const { token } = yield* issueTo(yield* login(tenantId, email))
      const callers = Effect.all([
        Authentication.use(({ authenticate }) => authenticate(callersTenant(tenantId), secret)),
        Effect.map(
          LegacyAuthentication.use(({ bearer }) => bearer(callersTenant(tenantId), token)),
          ({ caller }) => caller
        )
      ])
      for (const role of ["Viewer", "Data Manager", []] as const) {
        yield* users.update(tenantId, email, { role }, actor)
        for (const { privileges } of yield* callers) assert.deepStrictEqual(privileges, privilegesOf(role))
      }
    }).pipe(withUseCases)
  )

  it.effect("leaves a user unchanged, audit log included, if nothing differs", () =>
    Effect.gen(function* () {
      const { tenantId, users } = yield* prepared
      yield* users.setActive(tenantId, email, false, actor)
      const [before, history] = [yield* stored(tenantId), yield* auditOf(tenantId)]
      yield* TestClock.adjust(5)
      yield* users.setActive(tenantId, email, false, actor)
      yield* users.setVerified(tenantId, email, true, actor)
      assert.deepStrictEqual(yield* stored(tenantId), before)
      assert.deepStrictEqual(yield* auditOf(tenantId), history)
    }).pipe(withUseCases)
  )

  it.effect("threat 9: logs every change with its author and content, but no password, hash or token", () =>
    Effect.gen(function* () {
      const { tenantId, user, users } = yield* prepared
      const { length } = yield* auditOf(tenantId)
      const caller = yield* login(tenantId, email)
      const { token } = yield* issueTo(caller)
      const { id: accountId } = user.account
      const [{ id: tokenId } = { id: "" }] = yield* UserStore.use((store) =>
        store.listLegacyTokens(tenantId, accountId, "", 10)
      )
      const hash = (yield* stored(tenantId)).passwordHash ?? ""
      yield* users.update(tenantId, email, { firstName: "Ann", role: "Viewer" }, actor)
      yield* users.setPassword(tenantId, email, Redacted.make("battery staple"), actor)
      yield* users.setVerified(tenantId, email, false, actor)
      yield* users.setVerified(tenantId, email, true, actor)
      yield* users.endTokens(tenantId, email, actor)
      yield* issueTo(yield* login(tenantId, email, "battery staple"))
      const [, { id: secondId } = { id: "" }] = yield* UserStore.use((store) =>
        store.listLegacyTokens(tenantId, accountId, "", 10)
      )
      yield* users.revokeToken(tenantId, secondId, actor)
      yield* users.setActive(tenantId, email, false, actor)
      yield* users.setActive(tenantId, email, true, actor)
      yield* users.setAbn(tenantId, "51824753556", actor)
      const own: Actor = { account: caller.caller.account, bearer: caller.caller.bearer, requestId: actor.requestId }
      const history = (yield* auditOf(tenantId)).slice(length)
      assert.deepStrictEqual(
        history.map(({ id: _, position: __, at: ___, ...entry }) => entry),
        [
          { ...own, operation: "CREATE", action: "create", entityType: "legacyToken", entityId: tokenId },
          { ...actor, operation: "UPDATE", action: "update", entityType: "account", entityId: accountId },
          { ...actor, operation: "UPDATE", action: "set password", entityType: "account", entityId: accountId },
          { ...actor, operation: "UPDATE", action: "unverify", entityType: "account", entityId: accountId },
          { ...actor, operation: "UPDATE", action: "verify", entityType: "account", entityId: accountId },
          { ...actor, operation: "UPDATE", action: "end tokens", entityType: "account", entityId: accountId },
          { ...own, operation: "CREATE", action: "create", entityType: "legacyToken", entityId: secondId },
          { ...actor, operation: "DELETE", action: "revoke", entityType: "legacyToken", entityId: secondId },
          { ...actor, operation: "UPDATE", action: "deactivate", entityType: "account", entityId: accountId },
          { ...actor, operation: "UPDATE", action: "activate", entityType: "account", entityId: accountId },
          { ...actor, operation: "UPDATE", action: "set abn", entityType: "tenant", entityId: tenantId }
        ]
      )
      const text = JSON.stringify(yield* auditOf(tenantId))
      const secrets = [password, "battery staple", hash, (yield* stored(tenantId)).passwordHash ?? ""]
      for (const secret of [...secrets, ...Redacted.value(token).split(".")]) {
        assert.isNotEmpty(secret)
        assert.notInclude(text, secret)
      }
    }).pipe(withUseCases)
  )
})
