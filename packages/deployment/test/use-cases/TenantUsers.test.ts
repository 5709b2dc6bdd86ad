import { assert, describe, it } from "@effect/vitest"
import { accountUrn } from "@wcs/domain/access/Account"
import { Caller } from "@wcs/domain/access/Caller"
import { everyPrivilege, type PlainRole, privilegesOf, type Role } from "@wcs/domain/access/Privilege"
import { entryOf } from "@wcs/domain/audit/AuditEntry"
import { defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { SingleSignOnStore } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import * as InvitesLayer from "@wcs/domain/user/Invites"
import { Invites } from "@wcs/domain/user/Invites"
import type { User } from "@wcs/domain/user/User"
import { lifetimeMillis } from "@wcs/domain/user/UserInvite"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Users } from "@wcs/domain/user/Users"
import { digits } from "@wcs/store-suite/Fixtures"
import { check } from "@wcs/store-suite/Property"
import { Effect, Exit, Layer, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { tenant as makeTenant, operator, withUseCases } from "./UseCases.ts"

/** Runs an effect as a user with a password, which is the bearer that needs no row of its own. */
const as =
  ({ account }: Pick<User, "account">) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, Caller, {
      tenantId: account.tenantId,
      timeZone: defaultTimeZone,
      account: accountUrn(account.id),
      privileges: privilegesOf(account.role),
      bearer: { kind: "password", id: account.id },
      rateLimitKey: accountUrn(account.id),
      rateLimit: null,
      workerId: null
    })

const role: fc.Arbitrary<PlainRole> = fc.oneof(
  fc.constantFrom<PlainRole>("Super Admin", "Admin", "Data Manager", "Viewer"),
  fc.constantFrom<PlainRole>([], ["worker:READ"], ["user:UPDATE", "worker:READ"], everyPrivilege),
  fc.subarray([...everyPrivilege], { maxLength: 4 })
)

const place = fc.nat(1000)
const step = fc.oneof(
  fc.record({ kind: fc.constant("invite" as const), actor: place, target: place, role }),
  fc.record({ kind: fc.constant("grant" as const), actor: place, target: place, role }),
  fc.record({ kind: fc.constantFrom("remove", "activate", "renew"), actor: place, target: place, role })
)

type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const privileges = ({ account }: User) => privilegesOf(account.role)
const within = (some: ReadonlySet<string>, all: ReadonlySet<string>) => [...some].every((one) => all.has(one))
const isActive = ({ account }: User) => account.deactivatedAt === null
const isActiveSuperAdmin = (user: User) => isActive(user) && user.account.role === "Super Admin"
const at = <A>(items: ReadonlyArray<A>, index: number): A => {
  const item = items[index % items.length]
  if (item === undefined) throw new Error("there is none")
  return item
}

/** Takes one step and checks its outcome against the rules, as sets of privileges. */
const take = Effect.fnUntraced(function* (tenantId: string, index: number, { actor, kind, role, target }: Step) {
  const [service, store] = [yield* Users, yield* UserStore]
  const before = yield* store.list(tenantId, 0, 1000)
  const by = at(before.filter(isActive), actor)
  const on = at(before, target)
  const { id } = on.account
  const call = (): Effect.Effect<unknown, { readonly _tag: string }, Caller | RequestId> => {
    if (kind === "invite") return service.invite({ email: `user${index}@example.org`, role })
    if (kind === "grant") return service.patch(id, { role })
    if (kind === "renew") return service.renewInvite(id)
    return kind === "remove" ? service.remove(id) : service.activate(id)
  }
  const refusal = yield* Effect.match(as(by)(call()), { onSuccess: () => "", onFailure: ({ _tag }) => _tag })
  const after = yield* store.list(tenantId, 0, 1000)
  const isOwnInvite = on.invitedBy === accountUrn(by.account.id)
  const mayTouch =
    kind === "invite" ||
    (within(privileges(on), privileges(by)) && (kind !== "renew" || privileges(by).has("user:CREATE")))
  const mayGive = (kind !== "invite" && kind !== "grant") || within(privilegesOf(role), privileges(by))
  const losesLast =
    isActiveSuperAdmin(on) &&
    before.filter(isActiveSuperAdmin).length === 1 &&
    (kind === "remove" || (kind === "grant" && role !== "Super Admin"))
  if (!mayTouch || !mayGive) assert.strictEqual(refusal, "Forbidden", kind)
  else if (losesLast) assert.strictEqual(refusal, "LastSuperAdmin", kind)
  else if (kind === "renew" && !isOwnInvite && !within(new Set(everyPrivilege), privileges(by)))
    assert.strictEqual(refusal, "NotInviter")
  else if (kind === "renew" && !isActive(on)) assert.strictEqual(refusal, "AlreadyJoined")
  else assert.strictEqual(refusal, "", kind)
  if (refusal !== "") assert.deepStrictEqual(after, before, "a refused call changes nothing")
  else if (kind === "renew") {
    const renewed = after.find(({ account }) => account.id === id)
    assert.strictEqual(renewed?.invitedBy, accountUrn(by.account.id), "the link is that of its last maker")
  }
  assert.isAtLeast(after.filter(isActiveSuperAdmin).length, 1)
})

const bound = { operation: "UPDATE", action: "bind", entityType: "account" } as const

const password = Redacted.make("correct horse battery staple")

/** A tenant with a Super Admin, an Admin, and a Viewer whom the Super Admin has just invited. */
const invited = Effect.gen(function* () {
  const [admin, store] = [yield* Administration, yield* UserStore]
  const tenant = yield* makeTenant("acme")
  const user = Effect.fnUntraced(function* (email: string, role: Role) {
    const { id } = yield* admin.createUser(tenant.id, email, role, operator)
    return Option.getOrThrow(yield* store.find(tenant.id, id))
  })
  const superAdmin = yield* user("super@example.org", "Super Admin")
  const inviter = yield* user("inviter@example.org", "Admin")
  const service = yield* Users
  const { document, secret } = yield* as(superAdmin)(service.invite({ email: "New@Example.org ", role: "Viewer" }))
  return { tenant, superAdmin, inviter, document, secret, service, store, invites: yield* Invites }
})

describe("Users of a tenant", () => {
  it.effect(
    "threat 52: in random sequences no user grants missing privileges or changes a user with more privileges, and a Super Admin remains",
    () =>
      check(
        fc.tuple(fc.array(role, { maxLength: 5 }), fc.array(step, { maxLength: 30 })),
        Effect.fnUntraced(function* ([roles, steps]) {
          const admin = yield* Administration
          const tenant = yield* makeTenant(`acme-${digits()}`)
          for (const [index, one] of (["Super Admin", ...roles] as const).entries()) {
            yield* admin.createUser(tenant.id, `first${index}@example.org`, one, operator)
          }
          for (const [index, one] of steps.entries()) yield* take(tenant.id, index, one)
        })
      ).pipe(withUseCases),
    60_000
  )

  it.effect("lets exactly one of 20 concurrent uses of an invite link succeed", () =>
    Effect.gen(function* () {
      const { document, invites, secret, store, tenant } = yield* invited
      const use = Effect.exit(invites.accept(tenant.id, secret, password))
      const uses = yield* Effect.replicateEffect(use, 20, { concurrency: "unbounded" })
      assert.lengthOf(uses.filter(Exit.isSuccess), 1)
      const user = Option.getOrThrow(yield* store.find(tenant.id, document.id))
      assert.isNotNull(user.passwordHash)
      assert.isNull(user.invite)
      assert.strictEqual((yield* Effect.flip(invites.find(tenant.id, secret)))._tag, "NoInvite")
    }).pipe(withUseCases)
  )

  it.effect("ends an invite link after 7 days, and when it is renewed", () =>
    Effect.gen(function* () {
      const { document, invites, secret, service, superAdmin, tenant } = yield* invited
      yield* TestClock.adjust(lifetimeMillis - 1)
      assert.strictEqual((yield* invites.find(tenant.id, secret)).account.email, "new@example.org")
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Effect.flip(invites.find(tenant.id, secret)))._tag, "NoInvite")
      assert.strictEqual((yield* Effect.flip(invites.accept(tenant.id, secret, password)))._tag, "NoInvite")
      const first = yield* as(superAdmin)(service.renewInvite(document.id))
      const second = yield* as(superAdmin)(service.renewInvite(document.id))
      assert.strictEqual((yield* Effect.flip(invites.find(tenant.id, first.secret)))._tag, "NoInvite")
      yield* invites.accept(tenant.id, second.secret, password)
      const again = yield* Effect.flip(as(superAdmin)(service.renewInvite(document.id)))
      assert.strictEqual(again._tag, "AlreadyJoined", "a link would replace the password")
    }).pipe(withUseCases)
  )

  it.effect("threat 52: a link ends with the user's role, and has no more power than its maker", () =>
    Effect.gen(function* () {
      const { inviter, invites, service, store, superAdmin, tenant } = yield* invited
      const [users, { id }] = [yield* Users, inviter.account]
      const open = Effect.fnUntraced(function* (email: string) {
        const made = yield* as(inviter)(service.invite({ email, role: "Viewer" }))
        yield* invites.find(tenant.id, made.secret)
        return made
      })
      const refused = Effect.fnUntraced(function* ({ secret }: { readonly secret: Redacted.Redacted }) {
        assert.strictEqual((yield* Effect.flip(invites.find(tenant.id, secret)))._tag, "NoInvite")
        assert.strictEqual((yield* Effect.flip(invites.accept(tenant.id, secret, password)))._tag, "NoInvite")
      })
      const raised = yield* open("raised@example.org")
      yield* as(superAdmin)(service.patch(raised.document.id, { firstName: "Ann", role: "Viewer" }))
      yield* invites.find(tenant.id, raised.secret)
      yield* as(superAdmin)(service.patch(raised.document.id, { role: "Super Admin" }))
      yield* refused(raised)
      const byOperator = yield* open("operator@example.org")
      yield* users.update(tenant.id, "operator@example.org", { role: "Admin" }, operator)
      yield* refused(byOperator)

      const link = yield* open("invited@example.org")
      const setRole = (role: PlainRole) => as(superAdmin)(service.patch(id, { role }))
      yield* setRole(["user:CREATE", "worker:READ"])
      yield* refused(link)
      yield* setRole("Viewer")
      yield* refused(link)
      yield* setRole("Admin")
      yield* as(superAdmin)(service.remove(id))
      yield* refused(link)
      yield* as(superAdmin)(service.activate(id))
      // The maker loses the right while the password is hashed.
      const found = yield* store.find(tenant.id, link.document.id)
      const late = Layer.fresh(InvitesLayer.layer).pipe(
        Layer.provide(
          Layer.effect(
            AccessStore,
            Effect.map(AccessStore, (real) => ({
              ...real,
              findAccount: (tenantId: string, account: string) =>
                Effect.tap(real.findAccount(tenantId, account), () =>
                  Effect.orDie(Effect.provideService(setRole("Viewer"), RequestId, operator.requestId))
                )
            }))
          )
        )
      )
      const lost = Invites.use((all) => all.accept(tenant.id, link.secret, password)).pipe(Effect.provide(late))
      assert.strictEqual((yield* Effect.flip(lost))._tag, "NoInvite")
      assert.deepStrictEqual(yield* store.find(tenant.id, link.document.id), found)
      yield* setRole("Admin")
      yield* invites.accept(tenant.id, link.secret, password)
    }).pipe(withUseCases)
  )

  it.effect("threat 52: no link for a user whose password was set by a server that does not record joining", () =>
    Effect.gen(function* () {
      const { document, invites, secret, service, store, superAdmin, tenant } = yield* invited
      const audit = entryOf("aud_0000000000000000", operator, { ...bound, entityId: document.id }, 1_700_000_000_000)
      yield* store.change(tenant.id, document.id, (user) =>
        Result.succeed({ next: { ...user, passwordHash: "$argon2id$" }, audit })
      )
      assert.strictEqual((yield* Effect.flip(invites.accept(tenant.id, secret, password)))._tag, "NoInvite")
      assert.strictEqual((yield* Effect.flip(as(superAdmin)(service.renewInvite(document.id))))._tag, "AlreadyJoined")
    }).pipe(withUseCases)
  )

  it.effect("threat 52: no link for a user who logs in through an identity provider and has no password", () =>
    Effect.gen(function* () {
      const { document, invites, secret, service, store, superAdmin, tenant } = yield* invited
      const at = 1_700_000_000_000
      const binding = { tenantId: tenant.id, providerId: "idp_0000000000000000", subject: "s", accountId: document.id }
      const audit = entryOf("aud_0000000000000000", operator, { ...bound, entityId: document.id }, at)
      assert.isTrue(yield* SingleSignOnStore.use((sso) => sso.bind(binding, audit)))
      const user = Option.getOrThrow(yield* store.find(tenant.id, document.id))
      assert.deepStrictEqual([user.passwordHash, user.invite, user.joinedAt], [null, null, at])
      assert.strictEqual((yield* Effect.flip(invites.accept(tenant.id, secret, password)))._tag, "NoInvite")
      assert.strictEqual((yield* Effect.flip(as(superAdmin)(service.renewInvite(document.id))))._tag, "AlreadyJoined")
    }).pipe(withUseCases)
  )

  it.effect("refuses an invite link for a deactivated user, at another tenant, and after wcs admin set-password", () =>
    Effect.gen(function* () {
      const { document, invites, secret, service, superAdmin, tenant } = yield* invited
      const other = yield* makeTenant("other")
      for (const text of ["", "short", "0".repeat(43)]) {
        assert.strictEqual((yield* Effect.flip(invites.find(tenant.id, Redacted.make(text))))._tag, "NoInvite")
      }
      assert.strictEqual((yield* Effect.flip(invites.accept(other.id, secret, password)))._tag, "NoInvite")
      yield* as(superAdmin)(service.remove(document.id))
      assert.strictEqual((yield* Effect.flip(invites.accept(tenant.id, secret, password)))._tag, "NoInvite")
      yield* as(superAdmin)(service.activate(document.id))
      assert.strictEqual((yield* Effect.flip(invites.accept(tenant.id, secret, password)))._tag, "NoInvite")
      const renewed = yield* as(superAdmin)(service.renewInvite(document.id))
      yield* Users.use((users) => users.setPassword(tenant.id, "new@example.org", password, operator))
      assert.strictEqual((yield* Effect.flip(invites.accept(tenant.id, renewed.secret, password)))._tag, "NoInvite")
    }).pipe(withUseCases)
  )
})
