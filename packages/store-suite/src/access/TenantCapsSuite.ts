import { assert, describe } from "@effect/vitest"
import type { Account } from "@wcs/domain/access/Account"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import type { OAuthClient } from "@wcs/domain/token/OAuthClient"
import type { PersonalToken } from "@wcs/domain/token/PersonalToken"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Result } from "effect"
import { auditEntry, digits, start, type TenantTest } from "../Fixtures.ts"
import { audited, client, putTenant, token, user } from "./AccessFixtures.ts"
import { changed } from "./UserFixtures.ts"

/** The cap of these tests. */
const most = 3

/** An attempt to create one more. Returns the number of others that the decision got. */
type Attempt = Effect.Effect<number, never, AccessStore | UserStore>

/** Makes an attempt of a write that gets a judge. The judge refuses at the cap. */
const attempt = <E>(
  write: (judge: (others: number) => Result.Result<void, "full">) => Effect.Effect<unknown, E, AccessStore | UserStore>
): Attempt =>
  Effect.suspend(() => {
    let counted = -1
    const judge = (others: number) => {
      counted = others
      return others < most ? Result.void : Result.fail("full" as const)
    }
    return Effect.map(Effect.exit(write(judge)), () => counted)
  })

const addClient = (tenantId: string, overrides: Partial<OAuthClient> = {}): Attempt =>
  attempt((judge) => {
    const row = client(tenantId, overrides)
    return AccessStore.use((store) => store.insertClient(row, auditEntry(row.clientId), (_, others) => judge(others)))
  })

const addToken = (owner: Account, overrides: Partial<PersonalToken> = {}): Attempt =>
  attempt((judge) => {
    const row = token(owner.tenantId, owner.id, overrides)
    return AccessStore.use((store) => store.insertPersonalToken(row, auditEntry(row.id), (_, others) => judge(others)))
  })

const addAccount = (tenantId: string): Attempt =>
  attempt((judge) => {
    const row = user(tenantId)
    return AccessStore.use((store) => store.insertAccount(row, auditEntry(row.id), judge))
  })

const invite = (tenantId: string): Attempt =>
  attempt((judge) => {
    const account = user(tenantId)
    const tokenHash = digits().padStart(64, "f")
    const row = {
      account,
      firstName: "",
      surname: "",
      passwordHash: null,
      verifiedAt: null,
      invitedBy: null,
      joinedAt: null
    }
    return UserStore.use((users) =>
      users.insert({ ...row, invite: { tokenHash, expiresAt: start + 5 } }, auditEntry(account.id), judge)
    )
  })

const activate = (tenantId: string, id: string): Attempt =>
  attempt((judge) =>
    UserStore.use((users) =>
      users.change(tenantId, id, (found, _, __, others) =>
        Result.flatMap(judge(others), () => changed({ ...found, account: { ...found.account, deactivatedAt: null } }))
      )
    )
  )

const deactivate = (tenantId: string, id: string) =>
  UserStore.use((users) =>
    users.change(tenantId, id, (found) => changed({ ...found, account: { ...found.account, deactivatedAt: start } }))
  )

/** Asserts that concurrent attempts count 0, 1, 2 and then always 3. */
const assertCapped = Effect.fnUntraced(function* (attempts: ReadonlyArray<Attempt>) {
  const counted = yield* Effect.all(attempts, { concurrency: "unbounded" })
  const expected = attempts.map((_, index) => Math.min(most, index))
  assert.deepStrictEqual(
    counted.toSorted((one, other) => one - other),
    expected
  )
})

const tests = (it: TenantTest): void => {
  it("threat 43: concurrent requests never exceed the cap of a tenant's clients", function* () {
    for (let round = 0; round < 3; round++) {
      const { tenant } = yield* putTenant
      yield* assertCapped(Array.from({ length: 10 }, () => addClient(tenant.id)))
      assert.lengthOf(yield* AccessStore.use((store) => store.listClients(tenant.id)), most)
    }
  })

  it("threat 43: concurrent requests never exceed the cap of a user's tokens", function* () {
    for (let round = 0; round < 3; round++) {
      const { account, tenant } = yield* putTenant
      yield* assertCapped(Array.from({ length: 10 }, () => addToken(account)))
      assert.lengthOf(yield* AccessStore.use((store) => store.listPersonalTokens(tenant.id)), most)
    }
  })

  it("threat 43: concurrent requests, invites and reactivations never exceed the cap of users", function* () {
    const { account, tenant } = yield* putTenant
    yield* addAccount(tenant.id)
    yield* deactivate(tenant.id, account.id)
    const additions = Array.from({ length: 3 }, () => [addAccount(tenant.id), invite(tenant.id)]).flat()
    yield* Effect.all([...additions, activate(tenant.id, account.id), ...additions], { concurrency: "unbounded" })
    const users = yield* UserStore.use((store) => store.list(tenant.id, 0, 100))
    assert.lengthOf(
      users.filter((one) => one.account.deactivatedAt === null),
      most
    )
  })

  it("counts neither revoked nor expired clients and tokens, nor those of others", function* () {
    const store = yield* AccessStore
    const [{ account, tenant }, other] = [yield* putTenant, yield* putTenant]
    const colleague = user(tenant.id)
    yield* store.insertAccount(colleague, auditEntry(colleague.id), () => Result.void)
    const seconds = start / 1000
    for (const [ended, live] of [
      [{ revokedAt: start }, {}],
      [{ expiresAt: seconds }, { expiresAt: seconds + 1 }]
    ] as const) {
      yield* addClient(tenant.id, ended)
      yield* addClient(tenant.id, live)
      yield* addToken(account, ended)
      yield* addToken(account, live)
    }
    yield* addClient(other.tenant.id)
    yield* addToken(colleague)
    assert.strictEqual(yield* addClient(tenant.id), 2)
    assert.strictEqual(yield* addToken(account), 2)
    assert.strictEqual(yield* addClient(tenant.id), 3, "full")
    assert.strictEqual(yield* addClient(tenant.id, { createdAt: start + 1000 }), 2, "one has expired meanwhile")
  })

  it("counts the active users, without the service account", function* () {
    const { account, tenant } = yield* putTenant
    assert.strictEqual(yield* addAccount(tenant.id), 1)
    assert.strictEqual(yield* invite(tenant.id), 2)
    assert.strictEqual(yield* invite(tenant.id), 3)
    assert.strictEqual(yield* activate(tenant.id, account.id), 0, "the user is active")
    yield* deactivate(tenant.id, account.id)
    assert.strictEqual(yield* activate(tenant.id, account.id), 2)
    assert.strictEqual(yield* addAccount(tenant.id), 3)
  })

  it("writes nothing of a user beyond the cap", function* () {
    const { tenant } = yield* putTenant
    yield* addAccount(tenant.id)
    yield* addAccount(tenant.id)
    const before = yield* audited(tenant.id)
    assert.strictEqual(yield* addAccount(tenant.id), most)
    assert.strictEqual(yield* invite(tenant.id), most)
    assert.deepStrictEqual(yield* audited(tenant.id), before)
    assert.lengthOf(yield* UserStore.use((store) => store.list(tenant.id, 0, 100)), most)
  })
}

/** Tests the numbers by which a tenant's clients, tokens and users are limited. */
export const tenantCapsSuite = (it: TenantTest): void => {
  describe("AccessStore and UserStore: caps of a tenant", () => tests(it))
}
