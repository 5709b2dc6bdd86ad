import { assert, describe } from "@effect/vitest"
import { AccountNames } from "@wcs/domain/audit/AccountNames"
import { ResourceHistory } from "@wcs/domain/crud/ResourceHistory"
import type { TimelineSelection } from "@wcs/domain/resource/Timeline"
import { parseSearch } from "@wcs/domain/shared/SearchWords"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import type { User } from "@wcs/domain/user/User"
import { accessOf, UserAccess } from "@wcs/domain/user/UserAccess"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Exit, Option, Result } from "effect"
import { auditEntry, digits, freshTenant, mint, start, type TenantTest } from "../Fixtures.ts"
import { allowed, audited, putTenant, user } from "./AccessFixtures.ts"
import { changed, putUser, readUser, rewrite } from "./UserFixtures.ts"

const organizationTests = (it: TenantTest): void => {
  it("numbers tenants from 1 in whole numbers, and returns their names", function* () {
    const users = yield* UserStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const [first, second] = [yield* users.organization(one.tenant.id), yield* users.organization(two.tenant.id)]
    assert.isTrue(Number.isSafeInteger(first.number) && first.number >= 1)
    assert.isAbove(second.number, first.number)
    assert.deepStrictEqual(first, { number: first.number, name: one.tenant.name, abn: "" })
    assert.deepStrictEqual(yield* users.organization(one.tenant.id), first)
  })

  it("keeps an ABN with its entry, replacing an earlier one, for one tenant only", function* () {
    const users = yield* UserStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const { id } = one.tenant
    const before = yield* audited(id)
    for (const abn of ["51824753556", "53004085616"]) {
      yield* users.setAbn(id, abn, auditEntry(id, { entityType: "tenant" }))
      assert.strictEqual((yield* users.organization(id)).abn, abn)
    }
    assert.strictEqual((yield* users.organization(two.tenant.id)).abn, "")
    assert.deepStrictEqual(yield* audited(id), [...before, id, id])
  })

  it("dies for a missing tenant, and keeps nothing", function* (tenantId) {
    const users = yield* UserStore
    assert.isTrue(Exit.hasDies(yield* Effect.exit(users.organization(tenantId))))
    assert.isTrue(Exit.hasDies(yield* Effect.exit(users.setAbn(tenantId, "1", auditEntry(tenantId)))))
    assert.deepStrictEqual(yield* audited(tenantId), [])
  })
}

const versionTests = (it: TenantTest): void => {
  it("keeps a version of what a user may reach with each change of it, and none with a new name", function* () {
    const [users, { versionsAt }] = [yield* UserStore, yield* ResourceHistory]
    const { tenant } = yield* putTenant
    const { account } = yield* putUser(tenant.id)
    const change = (at: number, revise: (user: User) => User) =>
      users.change(tenant.id, account.id, (user) =>
        Result.succeed({ next: revise(user), audit: auditEntry(account.id, { entityType: "account", at }) })
      )
    yield* change(start + 5, (user) => ({ ...user, firstName: "Zoë" }))
    const next = { role: { role: "Viewer", units: ["unit_1"] }, workerId: "wkr_1" } as const
    yield* change(start + 9, (user) => ({ ...user, account: { ...user.account, ...next } }))
    const keys = [0, 5, 9].map((after) => ({ id: account.id, at: start + after }))
    const versions = (yield* versionsAt(UserAccess, tenant.id, keys)).get(account.id) ?? []
    assert.deepStrictEqual(
      versions.map(({ fields, updatedAt, version }) => [version, updatedAt - start, fields]),
      [
        [1, 0, accessOf(account)],
        [2, 9, { role: "Viewer", units: ["unit_1"], worker: { id: "wkr_1" } }]
      ]
    )
  })
}

const searchTests = (it: TenantTest): void => {
  it("finds users by their present names and email addresses, in order, page by page", function* () {
    const users = yield* UserStore
    const { tenant } = yield* putTenant
    const named = Effect.fnUntraced(function* (firstName: string, surname: string, email: string) {
      const made = yield* putUser(tenant.id, { email })
      return yield* rewrite(made, (before) => ({ ...before, firstName, surname }))
    })
    const hong = yield* named("Hồng", "Nguyễn", "h.nguyen@example.org")
    const sean = yield* named("Seán", "O’Brien", "sean@example.org")
    const bao = yield* named("Bảo", "Nguyễn", "bao@example.com")
    const pageOf = (text: string, more: Partial<TimelineSelection<never>> = {}) => {
      const sought = parseSearch(text) ?? assert.fail("an empty search")
      const all = { conditions: [], direction: "asc", pageSize: 25, after: undefined } as const
      return users.page(tenant.id, { ...all, includeDeleted: false, includeTotal: true, sought, ...more })
    }
    const found = (text: string, more: Partial<TimelineSelection<never>> = {}) =>
      Effect.map(pageOf(text, more), ({ items, total }) => [items.map(({ account }) => account.id), total])
    assert.deepStrictEqual(yield* found("nguyen"), [[hong.account.id, bao.account.id], 2])
    assert.deepStrictEqual(yield* found("nguyen", { direction: "desc" }), [[bao.account.id, hong.account.id], 2])
    assert.deepStrictEqual(yield* found("NGUYỄN hong"), [[hong.account.id], 1])
    assert.deepStrictEqual(yield* found("obrien"), [[sean.account.id], 1])
    assert.deepStrictEqual(yield* found("bao@example.c"), [[bao.account.id], 1])
    assert.deepStrictEqual(yield* found("guyen"), [[], 0])
    const first = yield* pageOf("nguyen", { pageSize: 1 })
    assert.isTrue(first.hasMore)
    const { position } = first.items[0] ?? assert.fail("an empty page")
    assert.deepStrictEqual(yield* found("nguyen", { pageSize: 1, after: position }), [[bao.account.id], 2])
    yield* rewrite(bao, (before) => ({ ...before, surname: "Smith" }))
    assert.deepStrictEqual(yield* found("nguyen"), [[hong.account.id], 1])
    const gone = yield* rewrite(hong, (before) => ({ ...before, account: { ...before.account, deactivatedAt: start } }))
    assert.deepStrictEqual(yield* found("nguyen"), [[], 0])
    assert.deepStrictEqual(yield* found("nguyen", { includeDeleted: true }), [[gone.account.id], 1])
  })
}

const readTests = (it: TenantTest): void => {
  it("returns only the account of a user until other fields are stored", function* () {
    const users = yield* UserStore
    const { account, tenant } = yield* putTenant
    const found = Option.getOrThrow(yield* users.findByEmail(tenant.id, account.email ?? ""))
    const { number, ...rest } = found
    assert.isTrue(Number.isSafeInteger(number) && number >= 1)
    assert.deepStrictEqual(rest, {
      account,
      firstName: "",
      surname: "",
      passwordHash: null,
      verifiedAt: null,
      invite: null,
      invitedBy: null,
      joinedAt: null
    })
  })

  it("finds a user by email in its own tenant only, and none for an email without a user", function* () {
    const users = yield* UserStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const email = one.account.email ?? ""
    assert.deepStrictEqual(yield* users.findByEmail(two.tenant.id, email), Option.none())
    for (const other of [email.toUpperCase(), ` ${email}`, `x${email}`, ""]) {
      assert.deepStrictEqual(yield* users.findByEmail(one.tenant.id, other), Option.none())
    }
  })

  it("lists a tenant's users by number, without the service account, page by page", function* () {
    const users = yield* UserStore
    const [{ account, tenant }, neighbour] = [yield* putTenant, yield* putTenant]
    const made = [Option.getOrThrow(yield* users.findByEmail(tenant.id, account.email ?? ""))]
    for (const createdAt of [start + 2, start - 5, start]) {
      made.push(yield* putUser(tenant.id, { createdAt }))
      yield* putUser(neighbour.tenant.id)
    }
    const numbers = made.map(({ number }) => number)
    assert.deepStrictEqual(
      numbers.toSorted((one, two) => one - two),
      numbers
    )
    assert.strictEqual(new Set(numbers).size, 4)
    assert.deepStrictEqual(yield* users.list(tenant.id, 0, 100), made)
    assert.deepStrictEqual(yield* users.list(tenant.id, 0, 3), made.slice(0, 3))
    assert.deepStrictEqual(yield* users.list(tenant.id, numbers[1] ?? 0, 1), made.slice(2, 3))
    assert.deepStrictEqual(yield* users.list(tenant.id, numbers[3] ?? 0, 100), [])
    assert.deepStrictEqual(yield* users.list(freshTenant(), 0, 100), [])
  })
}

const everything = (user: User): User => ({
  ...user,
  firstName: "Zoë",
  surname: "O'Neil-\u{1F600}",
  passwordHash: "$argon2id$v=19$m=1,t=1,p=1$c2FsdA$dGFn",
  verifiedAt: start + 1,
  invite: { tokenHash: "e".repeat(64), expiresAt: start + 3 },
  invitedBy: "urn:wcs:account:acc_0000000000000000",
  joinedAt: start + 4,
  account: { ...user.account, role: ["worker:READ"], workerId: "wkr_0000000000000000", deactivatedAt: start + 2 }
})

const changeTests = (it: TenantTest): void => {
  it("writes and clears names, role, worker, password, verification and deactivation", function* () {
    const access = yield* AccessStore
    const { tenant } = yield* putTenant
    const [user, other] = [yield* putUser(tenant.id), yield* putUser(tenant.id)]
    const role = yield* rewrite(user, everything)
    assert.deepStrictEqual(role, { ...everything(user), invite: null }, "a new role ends the link of the former one")
    assert.deepStrictEqual(yield* readUser(user), role)
    const after = yield* rewrite(user, everything)
    assert.deepStrictEqual(after, everything(user))
    assert.deepStrictEqual(yield* readUser(user), after)
    const { account } = user
    assert.deepStrictEqual(yield* access.findAccount(tenant.id, account.id), Option.some(after.account))
    assert.deepStrictEqual(yield* rewrite(user, () => user), user)
    assert.deepStrictEqual(yield* readUser(user), user)
    assert.deepStrictEqual(yield* readUser(other), other)
  })

  it("writes nothing else of the account, and keeps the user's number", function* () {
    const { tenant } = yield* putTenant
    const user = yield* putUser(tenant.id, { rateLimit: { calls: 5, windowSeconds: 7 } })
    const after = yield* rewrite(user, ({ account }) => ({
      ...everything(user),
      number: user.number + 1000,
      account: { ...account, email: `x${digits()}@example.org`, rateLimit: null, createdAt: 1 }
    }))
    const { account } = user
    assert.deepStrictEqual(after, { ...everything(user), account })
    assert.deepStrictEqual(yield* readUser(user), after)
  })

  it("writes its entry with the change, and nothing if nothing changes or the change is refused", function* () {
    const users = yield* UserStore
    const { tenant } = yield* putTenant
    const user = yield* putUser(tenant.id)
    const { id } = user.account
    const before = yield* audited(tenant.id)
    assert.deepStrictEqual(yield* users.change(tenant.id, id, () => Result.succeed(undefined)), Option.some(user))
    assert.strictEqual(yield* Effect.flip(users.change(tenant.id, id, () => Result.fail("no"))), "no")
    assert.deepStrictEqual(yield* readUser(user), user)
    assert.deepStrictEqual(yield* audited(tenant.id), before)
    yield* rewrite(user, everything)
    assert.deepStrictEqual(yield* audited(tenant.id), [...before, id])
  })

  it("makes no decision about a user who is missing, another tenant's, or the service account", function* () {
    const users = yield* UserStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    for (const id of [mint("account"), two.account.id, one.service.id]) {
      const made = yield* users.change(one.tenant.id, id, () => assert.fail("the decision was made"))
      assert.deepStrictEqual(made, Option.none())
    }
  })

  it("loses none of several concurrent changes: each is decided on the results of earlier ones", function* () {
    const { tenant } = yield* putTenant
    const user = yield* putUser(tenant.id)
    const before = yield* audited(tenant.id)
    const add = (letter: string) =>
      rewrite(user, (now) =>
        letter < "f" ? { ...now, firstName: now.firstName + letter } : { ...now, surname: now.surname + letter }
      )
    const letters = [..."abcdefghij"]
    yield* Effect.forEach(letters, add, { concurrency: "unbounded", discard: true })
    const { firstName, surname } = yield* readUser(user)
    assert.sameMembers([...firstName, ...surname], letters)
    assert.strictEqual((yield* audited(tenant.id)).length, before.length + letters.length)
  })
}

const everyUser: TimelineSelection<never> = {
  conditions: [],
  direction: "asc",
  pageSize: 100,
  after: undefined,
  includeDeleted: true,
  includeTotal: true
}

/** A new user to insert. */
const newcomer = (tenantId: string): Omit<User, "number"> => ({
  account: user(tenantId),
  firstName: "Zoë",
  surname: "Ng",
  passwordHash: null,
  verifiedAt: null,
  invite: { tokenHash: digits().padStart(64, "e"), expiresAt: start + 5 },
  invitedBy: null,
  joinedAt: null
})

const inviteTests = (it: TenantTest): void => {
  it("inserts a user with names and invite, and finds the user by account and by the invite's hash", function* () {
    const users = yield* UserStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const given = newcomer(one.tenant.id)
    const before = yield* audited(one.tenant.id)
    const made = yield* users.insert(given, auditEntry(given.account.id, { entityType: "account" }), allowed)
    const { number, ...rest } = made
    assert.isTrue(Number.isSafeInteger(number) && number >= 1)
    assert.deepStrictEqual(rest, given)
    assert.deepStrictEqual(yield* audited(one.tenant.id), [...before, given.account.id])
    const hash = given.invite?.tokenHash ?? ""
    assert.deepStrictEqual(yield* users.find(one.tenant.id, given.account.id), Option.some(made))
    assert.deepStrictEqual(yield* users.findByInvite(one.tenant.id, hash), Option.some(made))
    assert.deepStrictEqual(yield* users.find(two.tenant.id, given.account.id), Option.none())
    assert.deepStrictEqual(yield* users.findByInvite(two.tenant.id, hash), Option.none())
    assert.deepStrictEqual(yield* users.find(one.tenant.id, one.service.id), Option.none())
    yield* rewrite(made, (now) => ({ ...now, invite: null }))
    assert.deepStrictEqual(yield* users.findByInvite(one.tenant.id, hash), Option.none())
  })

  it("fails with EmailTaken and writes nothing if the tenant has a user with the email", function* () {
    const users = yield* UserStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const { email } = one.account
    const insert = (tenantId: string) => {
      const given = newcomer(tenantId)
      return users.insert({ ...given, account: { ...given.account, email } }, auditEntry(given.account.id), allowed)
    }
    const before = yield* audited(one.tenant.id)
    assert.strictEqual((yield* Effect.flip(insert(one.tenant.id)))._tag, "EmailTaken")
    assert.deepStrictEqual(yield* audited(one.tenant.id), before)
    assert.strictEqual((yield* insert(two.tenant.id)).account.email, email)
  })

  it("pages a tenant's users in both directions; includes deactivated ones only on request", function* () {
    const users = yield* UserStore
    const [{ account, tenant }, neighbour] = [yield* putTenant, yield* putTenant]
    yield* putUser(neighbour.tenant.id)
    const second = yield* putUser(tenant.id)
    const gone = yield* rewrite(yield* putUser(tenant.id), everything)
    const pageOf = (selection: Partial<TimelineSelection<never>>) =>
      Effect.map(users.page(tenant.id, { ...everyUser, ...selection }), ({ hasMore, items, total }) => ({
        ids: items.map((item) => item.account.id),
        hasMore,
        total
      }))
    const [one, two, three] = [account.id, second.account.id, gone.account.id]
    assert.deepStrictEqual(yield* pageOf({}), { ids: [one, two, three], hasMore: false, total: 3 })
    assert.deepStrictEqual(yield* pageOf({ includeDeleted: false }), { ids: [one, two], hasMore: false, total: 2 })
    assert.deepStrictEqual(yield* pageOf({ direction: "desc", pageSize: 1 }), {
      ids: [three],
      hasMore: true,
      total: 3
    })
    assert.deepStrictEqual(yield* pageOf({ after: second.number }), { ids: [three], hasMore: false, total: 3 })
  })

  it("counts the other active Super Admins, and does not let two concurrent changes remove the last two", function* () {
    const users = yield* UserStore
    const { account, tenant } = yield* putTenant
    const admins = [
      yield* putUser(tenant.id, { role: "Super Admin" }),
      yield* putUser(tenant.id, { role: "Super Admin" }),
      yield* putUser(tenant.id, { role: "Super Admin" })
    ]
    yield* putUser(tenant.id, { role: "Super Admin", deactivatedAt: start })
    const countFor = (id: string) =>
      Effect.gen(function* () {
        let count = -1
        yield* users.change(tenant.id, id, (_, __, others) => {
          count = others
          return Result.succeed(undefined)
        })
        return count
      })
    assert.strictEqual(yield* countFor(account.id), 3)
    assert.strictEqual(yield* countFor(admins[0]?.account.id ?? ""), 2)
    const demote = ({ account: { id } }: User) =>
      users.change(tenant.id, id, (now, _, others) =>
        others === 0 ? Result.fail("last") : changed({ ...now, account: { ...now.account, role: "Viewer" } })
      )
    const outcomes = yield* Effect.forEach(admins, (admin) => Effect.exit(demote(admin)), {
      concurrency: "unbounded"
    })
    assert.strictEqual(outcomes.filter(Exit.isSuccess).length, 2)
    assert.strictEqual(yield* countFor(account.id), 1)
  })
}

const nameTests = (it: TenantTest): void => {
  it("returns what the tenant's accounts are called, also of deactivated ones", function* () {
    const names = yield* AccountNames
    const { tenant } = yield* putTenant
    const user = yield* putUser(tenant.id, { deactivatedAt: start })
    const { id } = user.account
    const stranger = yield* putUser((yield* putTenant).tenant.id)
    assert.deepStrictEqual(yield* names.find(tenant.id, []), [])
    assert.deepStrictEqual(yield* names.find(tenant.id, [id, stranger.account.id, "acc_unknown"]), [
      { id, kind: "user", email: user.account.email, firstName: user.firstName, surname: user.surname }
    ])
  })
}

/** Tests the users and organizations of `UserStore`, and `AccountNames`. */
export const userStoreSuite = (it: TenantTest): void => {
  describe("UserStore: organization", () => organizationTests(it))
  describe("UserStore: reads", () => readTests(it))
  describe("AccountNames", () => nameTests(it))
  describe("UserStore: versions", () => versionTests(it))
  describe("UserStore: search", () => searchTests(it))
  describe("UserStore.change", () => changeTests(it))
  describe("UserStore: invites, pages and Super Admins", () => inviteTests(it))
}
