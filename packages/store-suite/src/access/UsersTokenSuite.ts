import { assert, describe } from "@effect/vitest"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Option } from "effect"
import { auditEntry, mint, start, type TenantTest } from "../Fixtures.ts"
import { audited, putTenant } from "./AccessFixtures.ts"
import { legacyToken, putLegacyToken, putUser, readUser, rewrite, tokensOf } from "./UserFixtures.ts"

const insertTests = (it: TenantTest): void => {
  it("keeps a token as given, with its entry, and finds it with its user, revoked or not", function* () {
    const users = yield* UserStore
    const { tenant } = yield* putTenant
    const user = yield* putUser(tenant.id)
    for (const revokedAt of [null, start + 9]) {
      const token = yield* putLegacyToken(user, { revokedAt })
      const found = yield* users.findLegacyToken(tenant.id, token.id)
      assert.deepStrictEqual(found, Option.some({ token, user }))
      assert.include(yield* audited(tenant.id), token.id)
    }
  })

  it("finds a token with the current data of its user", function* () {
    const users = yield* UserStore
    const { tenant } = yield* putTenant
    const token = yield* putLegacyToken(yield* putUser(tenant.id))
    const { user } = Option.getOrThrow(yield* users.findLegacyToken(tenant.id, token.id))
    const after = yield* rewrite(user, (now) => ({ ...now, verifiedAt: start }))
    assert.deepStrictEqual(yield* users.findLegacyToken(tenant.id, token.id), Option.some({ token, user: after }))
  })

  it("finds no token of another tenant, nor a missing one", function* () {
    const users = yield* UserStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const user = yield* putUser(one.tenant.id)
    const token = yield* putLegacyToken(user)
    assert.deepStrictEqual(yield* users.findLegacyToken(two.tenant.id, token.id), Option.none())
    assert.deepStrictEqual(yield* users.findLegacyToken(one.tenant.id, legacyToken(user).id), Option.none())
    assert.deepStrictEqual(yield* users.listLegacyTokens(two.tenant.id, user.account.id, "", 10), [])
  })

  it("stores no token for a user who may not have one, is missing or belongs to another tenant", function* () {
    const users = yield* UserStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const user = yield* rewrite(yield* putUser(one.tenant.id), (now) => ({ ...now, passwordHash: "hash" }))
    const before = yield* audited(one.tenant.id)
    const token = legacyToken(user)
    const isKept = (row: typeof token, mayHave: (passwordHash: string | null) => boolean) =>
      users.insertLegacyToken(row, auditEntry(row.id), ({ passwordHash }) => mayHave(passwordHash))
    assert.isFalse(yield* isKept(token, (hash) => hash !== "hash"))
    for (const accountId of [mint("account"), two.account.id, one.service.id]) {
      assert.isFalse(yield* isKept({ ...token, accountId }, () => true))
    }
    assert.deepStrictEqual(yield* users.findLegacyToken(one.tenant.id, token.id), Option.none())
    assert.deepStrictEqual(yield* audited(one.tenant.id), before)
    assert.isTrue(yield* isKept(token, (hash) => hash === "hash"))
    assert.deepStrictEqual(yield* tokensOf(user), [token])
  })

  it("deletes a user's tokens that have expired when the next one is issued, and no others", function* () {
    const { tenant } = yield* putTenant
    const [user, other] = [yield* putUser(tenant.id), yield* putUser(tenant.id)]
    const second = Math.floor(start / 1000)
    const over = yield* putLegacyToken(user, { issuedAt: start - 90_000, expiresAt: second })
    const living = yield* putLegacyToken(user, { issuedAt: start - 90_000, expiresAt: second + 1 })
    const others = yield* putLegacyToken(other, { issuedAt: start - 90_000, expiresAt: second })
    assert.sameDeepMembers([...(yield* tokensOf(user))], [over, living])
    const next = yield* putLegacyToken(user, { issuedAt: second * 1000 })
    assert.sameDeepMembers([...(yield* tokensOf(user))], [living, next])
    assert.deepStrictEqual(yield* tokensOf(other), [others])
  })

  it("lists an account's tokens of any age by id, page by page", function* () {
    const users = yield* UserStore
    const { tenant } = yield* putTenant
    const [user, other] = [yield* putUser(tenant.id), yield* putUser(tenant.id)]
    const drafts = [legacyToken(user), legacyToken(user, { issuedAt: start - 5 }), legacyToken(user)]
    for (const draft of drafts.toReversed()) yield* putLegacyToken(user, draft)
    yield* putLegacyToken(other)
    const list = (afterId: string, limit: number) => users.listLegacyTokens(tenant.id, user.account.id, afterId, limit)
    assert.deepStrictEqual(yield* list("", 10), drafts)
    assert.deepStrictEqual(yield* list("", 2), drafts.slice(0, 2))
    assert.deepStrictEqual(yield* list(drafts[1]?.id ?? "", 2), drafts.slice(2))
    assert.deepStrictEqual(yield* list(drafts[2]?.id ?? "", 2), [])
  })
}

const endTests = (it: TenantTest): void => {
  it("revokes a token once: a repetition writes nothing and keeps the time of revocation", function* () {
    const users = yield* UserStore
    const { tenant } = yield* putTenant
    const user = yield* putUser(tenant.id)
    const [token, other] = [yield* putLegacyToken(user), yield* putLegacyToken(user)]
    const revoke = (at: number) => users.revokeLegacyToken(tenant.id, token.id, at, auditEntry(token.id, { at }))
    assert.isTrue(yield* revoke(start + 5))
    const records = yield* audited(tenant.id)
    assert.strictEqual(records.filter((id) => id === token.id).length, 2)
    assert.isTrue(yield* revoke(start + 6))
    assert.isTrue(yield* revoke(start + 4))
    assert.deepStrictEqual(yield* tokensOf(user), [{ ...token, revokedAt: start + 5 }, other])
    assert.deepStrictEqual(yield* audited(tenant.id), records)
  })

  it("does not revoke a token of another tenant or a missing one", function* () {
    const users = yield* UserStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const user = yield* putUser(one.tenant.id)
    const token = yield* putLegacyToken(user)
    const before = yield* audited(two.tenant.id)
    for (const id of [token.id, legacyToken(user).id]) {
      assert.isFalse(yield* users.revokeLegacyToken(two.tenant.id, id, start, auditEntry(id)))
    }
    assert.deepStrictEqual(yield* tokensOf(user), [token])
    assert.deepStrictEqual(yield* audited(two.tenant.id), before)
  })

  it("revokes all tokens of a user with a change, and no other user's; revoked ones keep their time", function* () {
    const { tenant } = yield* putTenant
    const [user, other] = [yield* putUser(tenant.id), yield* putUser(tenant.id)]
    const living = [yield* putLegacyToken(user), yield* putLegacyToken(user)]
    const ended = yield* putLegacyToken(user, { revokedAt: start - 1 })
    const others = yield* putLegacyToken(other)
    yield* rewrite(user, (now) => ({ ...now, firstName: "Ada" }))
    assert.deepStrictEqual(yield* tokensOf(user), [...living, ended], "a change alone revokes none")
    yield* rewrite(user, (now) => now, start + 7)
    assert.deepStrictEqual(yield* tokensOf(user), [
      ...living.map((token) => ({ ...token, revokedAt: start + 7 })),
      ended
    ])
    assert.deepStrictEqual(yield* tokensOf(other), [others])
    const later = yield* putLegacyToken(user)
    assert.isNull((yield* tokensOf(user)).find(({ id }) => id === later.id)?.revokedAt)
  })

  it("issues no token that outlives a concurrent password change", function* () {
    const users = yield* UserStore
    const { tenant } = yield* putTenant
    const user = yield* putUser(tenant.id)
    const issue = Effect.suspend(() => {
      const token = legacyToken(user)
      return users.insertLegacyToken(token, auditEntry(token.id), ({ passwordHash }) => passwordHash === null)
    })
    const setPassword = rewrite(user, (now) => ({ ...now, passwordHash: "new" }), start + 1)
    const issued = Array.from({ length: 4 }, () => issue)
    const answers = yield* Effect.all([...issued, Effect.asVoid(setPassword), ...issued], {
      concurrency: "unbounded"
    })
    const tokens = yield* tokensOf(user)
    assert.strictEqual(tokens.length, answers.filter((isKept) => isKept === true).length)
    assert.deepStrictEqual(
      tokens.filter(({ revokedAt }) => revokedAt !== start + 1),
      []
    )
    assert.strictEqual((yield* readUser(user)).passwordHash, "new")
  })
}

/** Tests the legacy tokens of `UserStore`. */
export const usersTokenSuite = (it: TenantTest): void => {
  describe("UserStore: legacy tokens", () => insertTests(it))
  describe("UserStore: the end of legacy tokens", () => endTests(it))
}
