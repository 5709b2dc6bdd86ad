import { assert, describe } from "@effect/vitest"
import { type Account, accountUrn } from "@wcs/domain/access/Account"
import type { Bearer } from "@wcs/domain/access/Caller"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import type { CreatedBy } from "@wcs/domain/token/CreatedBy"
import type { IssuedReference, Maker } from "@wcs/domain/token/Lineage"
import type { User } from "@wcs/domain/user/User"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Option, Result } from "effect"
import fc from "fast-check"
import { auditEntry, mint, start, type TenantTest } from "../Fixtures.ts"
import { check } from "../Property.ts"
import { audited, client, putClient, putTenant, putToken, token } from "./AccessFixtures.ts"
import { changed, putUser } from "./UserFixtures.ts"

const byOperator: CreatedBy = { account: operatorUrn, bearer: null }
const by = (account: Pick<Account, "id">, kind: Bearer["kind"], id: string): CreatedBy => ({
  account: accountUrn(account.id),
  bearer: { kind, id }
})

const tokenRef = (id: string): IssuedReference => ({ entityType: "accessToken", id })
const clientRef = (id: string): IssuedReference => ({ entityType: "apiClient", id })

const entriesOf = (references: ReadonlyArray<IssuedReference>, at = start + 9) =>
  references.map(({ entityType, id }) => auditEntry(id, { entityType, at, action: "revoke", operation: "DELETE" }))

/** Revokes a tree, and returns the ids that were live. */
const revokeTree = Effect.fnUntraced(function* (tenantId: string, root: IssuedReference) {
  const store = yield* AccessStore
  let seen: ReadonlyArray<IssuedReference> = []
  const found = yield* store.revokeTree(tenantId, root, (live) => {
    seen = live
    return Result.succeed(entriesOf(live))
  })
  return { found, seen }
})

/** The ids of a tenant's tokens and clients that are not revoked. */
const liveIds = Effect.fnUntraced(function* (tenantId: string) {
  const store = yield* AccessStore
  const tokens = yield* store.listPersonalTokens(tenantId)
  const clients = yield* store.listClients(tenantId)
  return [
    ...tokens.filter(({ revokedAt }) => revokedAt === null).map(({ id }) => id),
    ...clients.filter(({ revokedAt }) => revokedAt === null).map(({ clientId }) => clientId)
  ]
})

const makerTests = (it: TenantTest): void => {
  it("keeps the creator of a token or client, and the expiry of a client", function* () {
    const store = yield* AccessStore
    const { account, tenant } = yield* putTenant
    for (const createdBy of [null, byOperator, by(account, "personal", "pat_1"), by(account, "oauth", "wcs_oauth_1")]) {
      const row = yield* putToken(account, { createdBy })
      assert.deepStrictEqual(yield* store.findPersonalTokenById(tenant.id, row.id), Option.some(row))
      const made = yield* putClient(tenant.id, { createdBy, expiresAt: createdBy === null ? null : 7 })
      const found = Option.getOrThrow(yield* store.findClient(made.tenantId, made.clientId))
      assert.deepStrictEqual(found.client, made)
    }
  })

  it("passes the creator to the decision: the account, and the personal token", function* () {
    const store = yield* AccessStore
    const [{ account, tenant }, other] = [yield* putTenant, yield* putTenant]
    const own = yield* putToken(account, { revokedAt: start + 1 })
    const foreign = yield* putToken(other.account)
    const cases: ReadonlyArray<readonly [CreatedBy | null, Option.Option<Maker>]> = [
      [null, Option.none()],
      [byOperator, Option.none()],
      [by(account, "personal", own.id), Option.some({ account, token: own })],
      [by(account, "personal", foreign.id), Option.some({ account, token: null })],
      [by(account, "personal", mint("personalToken")), Option.some({ account, token: null })],
      [by(account, "oauth", own.id), Option.some({ account, token: null })],
      [by(other.account, "personal", foreign.id), Option.none()],
      [by({ id: mint("account") }, "personal", own.id), Option.none()]
    ]
    for (const [createdBy, expected] of cases) {
      const seen: Array<Option.Option<Maker>> = []
      const judge = (maker: Option.Option<Maker>) => {
        seen.push(maker)
        return Result.succeed(undefined)
      }
      const row = token(tenant.id, account.id, { createdBy })
      yield* store.insertPersonalToken(row, auditEntry(row.id), judge)
      const made = client(tenant.id, { createdBy })
      yield* store.insertClient(made, auditEntry(made.clientId), judge)
      assert.deepStrictEqual(seen, [expected, expected])
    }
  })

  it("stores nothing that the decision refuses, and no entry", function* () {
    const store = yield* AccessStore
    const { account, tenant } = yield* putTenant
    const before = yield* audited(tenant.id)
    const no = () => Result.fail("no")
    const [row, made] = [token(tenant.id, account.id), client(tenant.id)]
    assert.strictEqual(yield* Effect.flip(store.insertPersonalToken(row, auditEntry(row.id), no)), "no")
    assert.strictEqual(yield* Effect.flip(store.insertClient(made, auditEntry(made.clientId), no)), "no")
    assert.deepStrictEqual(yield* liveIds(tenant.id), [])
    assert.deepStrictEqual(yield* audited(tenant.id), before)
  })
}

/** For each node: its parent's place among earlier nodes, whether it is a client, and whether it is revoked. */
const forests = fc.array(
  fc.record({ parent: fc.option(fc.nat(20)), isClient: fc.boolean(), isRevoked: fc.boolean() }),
  { minLength: 1, maxLength: 12 }
)

interface Node {
  readonly reference: IssuedReference
  readonly parent: number | null
  readonly isRevoked: boolean
}

/**
 * Stores a forest. A client's parent may be a client, as in data from before OAuth bearers lost that right. A token's
 * parent is a token.
 */
const putForest = Effect.fnUntraced(function* (
  tenantId: string,
  account: Account,
  drawn: typeof forests extends fc.Arbitrary<infer One> ? One : never
) {
  const nodes: Array<Node> = []
  for (const [index, { isClient, isRevoked, parent }] of drawn.entries()) {
    const place = parent === null || index === 0 ? null : parent % index
    const maker = place === null ? undefined : nodes[place]?.reference
    const isMadeByClient = maker?.entityType === "apiClient"
    const createdBy = maker === undefined ? byOperator : by(account, isMadeByClient ? "oauth" : "personal", maker.id)
    const rest = { createdBy, revokedAt: isRevoked ? start + 1 : null }
    const reference =
      isClient || isMadeByClient
        ? clientRef((yield* putClient(tenantId, rest)).clientId)
        : tokenRef((yield* putToken(account, rest)).id)
    nodes.push({ reference, parent: place, isRevoked })
  }
  return nodes
})

const treeTests = (it: TenantTest): void => {
  it("passes a token or client with all unrevoked descendants to the decision, and revokes exactly these", function* () {
    yield* check(
      fc.tuple(forests, fc.nat(20)),
      Effect.fnUntraced(function* ([drawn, which]) {
        const [{ account, tenant }, other] = [yield* putTenant, yield* putTenant]
        const nodes = yield* putForest(tenant.id, account, drawn)
        yield* putToken(other.account, { createdBy: by(account, "personal", nodes[0]?.reference.id ?? "") })
        const root = which % nodes.length
        const isWithin = (index: number): boolean =>
          index === root || (nodes[index]?.parent != null && isWithin(nodes[index].parent))
        const within = nodes.filter((_, index) => isWithin(index))
        const expected = within.filter(({ isRevoked }) => !isRevoked).map(({ reference }) => reference)
        const before = [yield* liveIds(tenant.id), yield* liveIds(other.tenant.id), yield* audited(tenant.id)] as const
        const { found, seen } = yield* revokeTree(tenant.id, nodes[root]?.reference ?? tokenRef(""))
        assert.isTrue(found)
        assert.sameDeepMembers([...seen], expected)
        const gone = expected.map(({ id }) => id)
        assert.sameMembers(
          [...(yield* liveIds(tenant.id))],
          before[0].filter((id) => !gone.includes(id))
        )
        assert.deepStrictEqual(yield* liveIds(other.tenant.id), before[1])
        assert.sameMembers([...(yield* audited(tenant.id))], [...before[2], ...gone])
      }),
      { numRuns: 30 }
    )
  })

  it("revokes at the time of the entries and keeps earlier times; a repetition passes nothing to the decision", function* () {
    const store = yield* AccessStore
    const { account, tenant } = yield* putTenant
    const root = yield* putToken(account)
    const ended = yield* putToken(account, { createdBy: by(account, "personal", root.id), revokedAt: start + 2 })
    const child = yield* putClient(tenant.id, { createdBy: by(account, "personal", ended.id) })
    assert.lengthOf((yield* revokeTree(tenant.id, tokenRef(root.id))).seen, 2)
    assert.deepStrictEqual(yield* store.listPersonalTokens(tenant.id), [{ ...root, revokedAt: start + 9 }, ended])
    assert.deepStrictEqual(yield* store.listClients(tenant.id), [{ ...child, revokedAt: start + 9 }])
    assert.deepStrictEqual(yield* revokeTree(tenant.id, tokenRef(root.id)), { found: true, seen: [] })
  })

  it("reaches the end of a chain of 500", function* () {
    const { account, tenant } = yield* putTenant
    const root = yield* putToken(account)
    let maker = root.id
    for (let depth = 1; depth < 500; depth++) {
      maker = (yield* putToken(account, { createdBy: by(account, "personal", maker) })).id
    }
    assert.lengthOf((yield* revokeTree(tenant.id, tokenRef(root.id))).seen, 500)
    assert.deepStrictEqual(yield* liveIds(tenant.id), [])
  })

  it("changes nothing if the decision fails, or if the tenant has no such token or client", function* () {
    const store = yield* AccessStore
    const [{ account, tenant }, other] = [yield* putTenant, yield* putTenant]
    const [row, made] = [yield* putToken(account), yield* putClient(tenant.id)]
    const before = [yield* audited(tenant.id), yield* audited(other.tenant.id)]
    const refused = store.revokeTree(tenant.id, tokenRef(row.id), () => Result.fail("no"))
    assert.strictEqual(yield* Effect.flip(refused), "no")
    const nobody = (tenantId: string, root: IssuedReference) =>
      store.revokeTree(tenantId, root, () => assert.fail("the decision was made"))
    for (const root of [tokenRef(row.id), clientRef(made.clientId)]) {
      assert.isFalse(yield* nobody(other.tenant.id, root))
    }
    for (const root of [tokenRef(made.clientId), clientRef(row.id), tokenRef(mint("personalToken"))]) {
      assert.isFalse(yield* nobody(tenant.id, root))
    }
    assert.deepStrictEqual(yield* liveIds(tenant.id), [row.id, made.clientId])
    assert.deepStrictEqual([yield* audited(tenant.id), yield* audited(other.tenant.id)], before)
  })

  it("threat 44: leaves nothing that the revoked token or client creates concurrently", function* () {
    const store = yield* AccessStore
    const { account, tenant } = yield* putTenant
    const root = yield* putToken(account)
    const middle = yield* putToken(account, { createdBy: by(account, "personal", root.id) })
    const createdBy = by(account, "personal", middle.id)
    const judge = (maker: Option.Option<Maker>) =>
      Option.exists(maker, ({ token }) => token?.revokedAt === null) ? Result.succeed(undefined) : Result.fail("ended")
    const makeToken = Effect.suspend(() => {
      const row = token(tenant.id, account.id, { createdBy })
      return Effect.ignore(store.insertPersonalToken(row, auditEntry(row.id), judge))
    })
    const makeClient = Effect.suspend(() => {
      const row = client(tenant.id, { createdBy })
      return Effect.ignore(store.insertClient(row, auditEntry(row.clientId), judge))
    })
    const makers = Array.from({ length: 4 }, () => [makeToken, makeClient]).flat()
    yield* Effect.all([...makers, Effect.asVoid(revokeTree(tenant.id, tokenRef(root.id))), ...makers], {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(yield* liveIds(tenant.id), [])
  })
}

const changeTests = (it: TenantTest): void => {
  const madeBy = ({ account }: User): CreatedBy => by(account, "personal", "pat_1")

  it("passes the unrevoked clients that descend from the account to a change of its user", function* () {
    const users = yield* UserStore
    const [{ tenant }, other] = [yield* putTenant, yield* putTenant]
    const [user, colleague] = [yield* putUser(tenant.id), yield* putUser(tenant.id)]
    const made = yield* putClient(tenant.id, { createdBy: madeBy(user) })
    const revoked = yield* putClient(tenant.id, { createdBy: madeBy(user), revokedAt: start })
    const later = yield* putClient(tenant.id, { createdBy: by(colleague.account, "oauth", revoked.clientId) })
    const own = yield* putClient(tenant.id, { createdBy: { account: accountUrn(user.account.id), bearer: null } })
    yield* putClient(tenant.id, { createdBy: madeBy(colleague) })
    yield* putClient(tenant.id)
    yield* putClient(other.tenant.id, { createdBy: madeBy(user) })
    let seen: ReadonlyArray<string> = []
    yield* users.change(tenant.id, user.account.id, (_, clients) => {
      seen = clients
      return Result.succeed(undefined)
    })
    assert.sameMembers([...seen], [made.clientId, later.clientId, own.clientId])
  })

  it("revokes with the change everything that its entries name, and writes these entries after its own entry", function* () {
    const users = yield* UserStore
    const { tenant } = yield* putTenant
    const user = yield* putUser(tenant.id)
    const [one, two] = [
      yield* putClient(tenant.id, { createdBy: madeBy(user) }),
      yield* putClient(tenant.id, { createdBy: madeBy(user) })
    ]
    const before = yield* audited(tenant.id)
    yield* users.change(tenant.id, user.account.id, (now) =>
      Result.map(changed({ ...now, surname: "Lovelace" }), (change) => ({
        ...change,
        revocations: entriesOf([clientRef(one.clientId)])
      }))
    )
    assert.deepStrictEqual(yield* liveIds(tenant.id), [two.clientId])
    assert.deepStrictEqual(yield* audited(tenant.id), [...before, user.account.id, one.clientId])
  })

  it("threat 44: leaves no client that a user creates while a change removes the right to it", function* () {
    const [store, users] = [yield* AccessStore, yield* UserStore]
    const { tenant } = yield* putTenant
    const user = yield* putUser(tenant.id, { role: "Super Admin" })
    const make = Effect.suspend(() => {
      const row = client(tenant.id, { createdBy: madeBy(user) })
      const judge = (maker: Option.Option<Maker>) =>
        Option.exists(maker, ({ account }) => account.role === "Super Admin")
          ? Result.succeed(undefined)
          : Result.fail("no")
      return Effect.ignore(store.insertClient(row, auditEntry(row.clientId), judge))
    })
    const demote = users.change(tenant.id, user.account.id, (now, clients) =>
      Result.map(changed({ ...now, account: { ...now.account, role: "Viewer" } }), (change) => ({
        ...change,
        revocations: entriesOf(clients.map(clientRef))
      }))
    )
    const makers = Array.from({ length: 5 }, () => make)
    yield* Effect.all([...makers, Effect.asVoid(demote), ...makers], { concurrency: "unbounded" })
    assert.deepStrictEqual(yield* liveIds(tenant.id), [])
  })
}

/** Tests the creators and descendants of tokens and clients. */
export const issuedTreeSuite = (it: TenantTest): void => {
  describe("AccessStore: creators", () => makerTests(it))
  describe("AccessStore.revokeTree", () => treeTests(it))
  describe("UserStore.change: clients", () => changeTests(it))
}
