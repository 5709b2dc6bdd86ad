import { type Account, accountUrn } from "@wcs/domain/access/Account"
import type { Tenant } from "@wcs/domain/access/Tenant"
import { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { forgiven } from "@wcs/domain/event/WebhookHealth"
import { Credential } from "@wcs/domain/holding/Credential"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import type { OwnerReference } from "@wcs/domain/ownership/Ownership"
import { statusOf } from "@wcs/domain/screening/KeptCompliance"
import { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import { SecondFactorStore } from "@wcs/domain/second-factor/SecondFactorStore"
import { SessionStore } from "@wcs/domain/session/SessionStore"
import { SingleSignOnStore } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { UserStore } from "@wcs/domain/user/UserStore"
import { type Conclusion, VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { deliveryStates } from "@wcs/domain/webhook/Delivery"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import {
  allowed,
  client,
  freshHost,
  putClient,
  putToken,
  serviceAccountFor,
  token,
  user
} from "@wcs/store-suite/access/AccessFixtures"
import { session } from "@wcs/store-suite/access/SessionStoreSuite"
import { changed, legacyToken, putLegacyToken, putUser } from "@wcs/store-suite/access/UserFixtures"
import {
  answered,
  assessAt,
  draft,
  happen,
  pinged,
  putWebhook,
  begin as sendPings
} from "@wcs/store-suite/delivery/DeliveryFixtures"
import {
  applicantRef,
  auditEntry,
  created,
  credentialFields,
  digits,
  eventDraft,
  idFor,
  mint,
  put,
  remove,
  revise,
  type Stores,
  start,
  subscribe,
  workerRef
} from "@wcs/store-suite/Fixtures"
import { changeOwner, changeOwners, putApplicant, putCredential, putWorker } from "@wcs/store-suite/ownership/Owning"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import { causes, give, nsw, putRequest, request, valid } from "@wcs/store-suite/resource/ProgressionFixtures"
import { sampleOf } from "@wcs/store-suite/resource/RandomFields"
import { scan } from "@wcs/store-suite/ScanStoreSuite"
import {
  ask,
  concluded,
  needsReview,
  postponed,
  putAsked,
  rerun,
  verification
} from "@wcs/store-suite/verification/VerificationFixtures"
import { Effect, Option, Result } from "effect"

/** A tenant with its first user. */
interface Owned {
  readonly tenant: Tenant
  readonly account: Account
}

/** Stores what a write needs, and returns the write. */
type Prepare = (owned: Owned) => Effect.Effect<Effect.Effect<unknown, unknown, Stores>, unknown, Stores>

/** Writes by name: the port's method, and in parentheses the case, if there are several. */
type Writes = Readonly<Record<string, Prepare>>

/** The writes of several cases. */
const ofEach = <Case>(cases: ReadonlyArray<Case>, writesOf: (one: Case) => Writes): Writes =>
  Object.fromEntries(cases.flatMap((one) => Object.entries(writesOf(one))))

const events = ["credential.created", "credential.updated"] as const

/** The completions of a fetch request by changes of its worker's holdings. */
const completions = (method: string, by: typeof causes): Writes =>
  ofEach(by, ([what, cause]) => ({
    [`${method} (completes a fetch request by ${what})`]: Effect.fnUntraced(function* ({ tenant }) {
      const worker = yield* putWorker(tenant.id)
      yield* putRequest(tenant.id, worker)
      return yield* cause(tenant.id, worker)
    })
  }))

const resourceWrites: Writes = {
  ...ofEach(definitions, (resource) => {
    const make = () => created(idFor(resource), sampleOf(resource))
    return {
      [`ResourceStore.change (creates a ${resource.type})`]: ({ tenant }) =>
        Effect.succeed(put(resource, tenant.id, make())),
      [`ResourceStore.change (deletes a ${resource.type})`]: Effect.fnUntraced(function* ({ tenant }) {
        const { id } = yield* put(resource, tenant.id, make())
        return remove(resource, tenant.id, id)
      })
    }
  }),
  "ResourceStore.change (creates a credential with an audit entry, an event, verifications and scans)":
    Effect.fnUntraced(function* ({ tenant }) {
      yield* subscribe(tenant.id, mint("webhook"), events)
      const row = created(mint("credential"), credentialFields({ worker: yield* putWorker(tenant.id) }))
      return put(Credential, tenant.id, row, {
        audit: [auditEntry(row.id), auditEntry(row.id)],
        events: [eventDraft(row.id), eventDraft(row.id)],
        scans: [scan(tenant.id), scan(tenant.id)],
        verifications: [verification(row.id), verification(row.id)]
      })
    }),
  "ResourceStore.change (changes a credential)": Effect.fnUntraced(function* ({ tenant }) {
    const id = yield* putCredential(tenant.id, { worker: yield* putWorker(tenant.id) })
    return revise(Credential, tenant.id, id, (before) => ({
      ...before,
      version: before.version + 1,
      fields: { attributes: { ...before.fields.attributes, identifier: "WWC7654321E" } }
    }))
  }),
  "ResourceStore.change (opens a verification)": Effect.fnUntraced(function* ({ tenant }) {
    const id = yield* putCredential(tenant.id, {})
    return ask(tenant.id, id)
  }),
  "ResourceStore.change (requests a rerun)": Effect.fnUntraced(function* ({ tenant }) {
    const { credentialId } = yield* putAsked(tenant.id)
    return rerun(tenant.id, credentialId, start - 1)
  }),
  ...ofEach(
    [
      ["first", undefined],
      ["changed", events],
      ["ended", []]
    ] as const,
    ([what, kinds]) => ({
      [`ResourceStore.change (subscribes a webhook: ${what})`]: Effect.fnUntraced(function* ({ tenant }) {
        const id = mint("webhook")
        if (kinds !== undefined) yield* subscribe(tenant.id, id, ["credential.created"])
        return subscribe(tenant.id, id, kinds ?? events)
      })
    })
  ),
  "ResourceStore.change (creates a fetch request by the holdings of its worker)": Effect.fnUntraced(function* ({
    tenant
  }) {
    const worker = yield* putWorker(tenant.id)
    yield* give(tenant.id, valid({ worker }))
    return request(tenant.id, worker, [nsw])
  }),
  ...completions(
    "ResourceStore.change",
    causes.filter(([what]) => !what.startsWith("concluding") && !what.startsWith("a link"))
  )
}

const transitions: Writes = {
  ...ofEach(["worker", "applicant"] as const, (type) => {
    const reference = (id: string): OwnerReference => (type === "worker" ? workerRef(id) : applicantRef(id))
    const putOwner = (tenantId: string) => (type === "worker" ? putWorker(tenantId) : putApplicant(tenantId))
    const other = (tenantId: string) => (type === "worker" ? putApplicant(tenantId) : putWorker(tenantId))
    const otherType = type === "worker" ? "applicant" : "worker"
    const prepared = Effect.fnUntraced(function* (tenantId: string, isHeld: boolean) {
      yield* subscribe(tenantId, mint("webhook"), events)
      const [from, to] = [yield* putOwner(tenantId), yield* putOwner(tenantId)]
      const owners = { [otherType]: yield* other(tenantId), ...(isHeld ? { [type]: from } : {}) }
      const ids = [yield* putCredential(tenantId, owners), yield* putCredential(tenantId, owners)]
      return { ids, id: ids[0] ?? "", from: reference(from), to: reference(to) }
    })
    return {
      [`OwnershipStore.transition (links a credential to one ${type})`]: Effect.fnUntraced(function* ({ tenant }) {
        const { id, to } = yield* prepared(tenant.id, false)
        return changeOwner(tenant.id, id, { _tag: "Link", to })
      }),
      [`OwnershipStore.transition (unlinks a credential from one ${type})`]: Effect.fnUntraced(function* ({ tenant }) {
        const { from, id } = yield* prepared(tenant.id, true)
        return changeOwner(tenant.id, id, { _tag: "Unlink", from })
      }),
      [`OwnershipStore.transition (transfers a credential to another ${type})`]: Effect.fnUntraced(function* ({
        tenant
      }) {
        const { from, id, to } = yield* prepared(tenant.id, true)
        return changeOwner(tenant.id, id, { _tag: "Transfer", from, to })
      }),
      [`OwnershipStore.transition (links credentials in bulk to one ${type})`]: Effect.fnUntraced(function* ({
        tenant
      }) {
        const { ids, to } = yield* prepared(tenant.id, false)
        return changeOwners(tenant.id, { _tag: "Ids", ids }, { _tag: "Link", to })
      }),
      [`OwnershipStore.transition (transfers all credentials to another ${type})`]: Effect.fnUntraced(function* ({
        tenant
      }) {
        const { from, to } = yield* prepared(tenant.id, true)
        return changeOwners(tenant.id, { _tag: "HeldBy", owner: from, limit: 501 }, { _tag: "Transfer", from, to })
      })
    }
  }),
  ...completions(
    "OwnershipStore.transition",
    causes.filter(([what]) => what.startsWith("a link"))
  )
}

/** What an account created with one of its personal tokens. */
const createdWith = ({ id }: Account, tokenId: string) => ({
  account: accountUrn(id),
  bearer: { kind: "personal", id: tokenId } as const
})

const accessWrites: Writes = {
  "AccessStore.changeHosts": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* AccessStore
    const hosts = [freshHost(), ...tenant.hosts.slice(1)]
    return store.changeHosts(tenant.id, () => Result.succeed(hosts), auditEntry(tenant.id))
  }),
  "AccessStore.setTimeZone": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* AccessStore
    return store.setTimeZone(tenant.id, "Pacific/Kiritimati", auditEntry(tenant.id))
  }),
  "AccessStore.setRetention": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* AccessStore
    return store.setRetention(tenant.id, 7, auditEntry(tenant.id))
  }),
  "AccessStore.setSecondFactorFrom": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* AccessStore
    return store.setSecondFactorFrom(tenant.id, "2026-01-31", auditEntry(tenant.id), () => Result.void)
  }),
  "AccessStore.insertAccount": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* AccessStore
    const row = user(tenant.id)
    return store.insertAccount(row, auditEntry(row.id), allowed)
  }),
  "AccessStore.insertClient": Effect.fnUntraced(function* ({ account, tenant }) {
    const store = yield* AccessStore
    const row = client(tenant.id, { createdBy: createdWith(account, (yield* putToken(account)).id) })
    return store.insertClient(row, auditEntry(row.clientId), allowed)
  }),
  "AccessStore.insertPersonalToken": Effect.fnUntraced(function* ({ account, tenant }) {
    const store = yield* AccessStore
    const row = token(tenant.id, account.id, { createdBy: createdWith(account, (yield* putToken(account)).id) })
    return store.insertPersonalToken(row, auditEntry(row.id), allowed)
  }),
  "AccessStore.revokeClient": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* AccessStore
    const { clientId } = yield* putClient(tenant.id)
    return store.revokeClient(tenant.id, clientId, start + 9, auditEntry(clientId))
  }),
  "AccessStore.revokePersonalToken": Effect.fnUntraced(function* ({ account, tenant }) {
    const store = yield* AccessStore
    const { id } = yield* putToken(account)
    return store.revokePersonalToken(tenant.id, id, start + 9, auditEntry(id))
  }),
  "AccessStore.revokeTree": Effect.fnUntraced(function* ({ account, tenant }) {
    const store = yield* AccessStore
    const { id } = yield* putToken(account)
    yield* putToken(account, { createdBy: createdWith(account, id) })
    yield* putClient(tenant.id, { createdBy: createdWith(account, id) })
    return store.revokeTree(tenant.id, { entityType: "accessToken", id }, (live) =>
      Result.succeed(live.map(({ entityType, id }) => auditEntry(id, { entityType })))
    )
  }),
  "AccessStore.touchPersonalToken": Effect.fnUntraced(function* ({ account, tenant }) {
    const store = yield* AccessStore
    const { id } = yield* putToken(account)
    return store.touchPersonalToken(tenant.id, id, start + 9)
  }),
  "UserStore.setAbn": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* UserStore
    return store.setAbn(tenant.id, "51824753556", auditEntry(tenant.id))
  }),
  "UserStore.insert": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* UserStore
    const { account, number: _, ...rest } = yield* putUser(tenant.id)
    const next = { ...account, id: mint("account"), email: `user-${digits()}@example.org` }
    return store.insert({ ...rest, account: next }, auditEntry(next.id), allowed)
  }),
  "UserStore.change": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* UserStore
    const row = yield* putUser(tenant.id, { role: "Super Admin" })
    yield* putLegacyToken(row)
    const createdBy = { account: accountUrn(row.account.id), bearer: null }
    const { clientId } = yield* putClient(tenant.id, { createdBy })
    const revocations = [auditEntry(clientId, { entityType: "apiClient" })]
    return store.change(tenant.id, row.account.id, (before) =>
      Result.map(changed({ ...before, firstName: "Grace" }, start + 1), (change) => ({ ...change, revocations }))
    )
  }),
  "UserStore.insertLegacyToken": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* UserStore
    const row = legacyToken(yield* putUser(tenant.id))
    return store.insertLegacyToken(row, auditEntry(row.id), () => true)
  }),
  "UserStore.revokeLegacyToken": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* UserStore
    const { id } = yield* putLegacyToken(yield* putUser(tenant.id))
    return store.revokeLegacyToken(tenant.id, id, start + 9, auditEntry(id))
  })
}

/** Stores a session of the account. */
const putSession = Effect.fnUntraced(function* (account: Account) {
  const store = yield* SessionStore
  const row = session(account, { providerId: mint("identityProvider") })
  yield* store.insert(row, auditEntry(row.id), null, () => true)
  return row
})

const loginWrites: Writes = {
  "SessionStore.insert": Effect.fnUntraced(function* ({ account }) {
    const store = yield* SessionStore
    const replaced = yield* putSession(account)
    const row = session(account)
    return store.insert(row, auditEntry(row.id), replaced.id, () => true)
  }),
  "SessionStore.revoke": Effect.fnUntraced(function* ({ account, tenant }) {
    const store = yield* SessionStore
    const { id } = yield* putSession(account)
    return store.revoke(tenant.id, id, start + 9, auditEntry(id))
  }),
  "SessionStore.revokeAll": Effect.fnUntraced(function* ({ account, tenant }) {
    const store = yield* SessionStore
    const kept = yield* putSession(account)
    yield* putSession(account)
    return store.revokeAll(tenant.id, account.id, kept.id, start + 9, auditEntry(account.id))
  }),
  "SessionStore.revokeOfProvider": Effect.fnUntraced(function* ({ account, tenant }) {
    const store = yield* SessionStore
    const { providerId } = yield* putSession(account)
    return store.revokeOfProvider(tenant.id, providerId ?? "", start + 9, auditEntry(providerId ?? ""))
  }),
  "SessionStore.touch": Effect.fnUntraced(function* ({ account, tenant }) {
    const store = yield* SessionStore
    const { id } = yield* putSession(account)
    return store.touch(tenant.id, id, start + 9)
  }),
  ...ofEach(["enrols", "changes", "removes"], (what) => ({
    [`SecondFactorStore.change (${what})`]: Effect.fnUntraced(function* ({ account, tenant }) {
      const store = yield* SecondFactorStore
      const next = {
        ...{ tenantId: tenant.id, accountId: account.id, sealedSeed: "v1.c2VhbGVk", createdAt: start },
        ...{ confirmedAt: start, lastStep: 0, recoveryHashes: ["one"], failures: [] }
      }
      if (what !== "enrols") yield* store.change(tenant.id, account.id, () => ({ answer: undefined, next }))
      return store.change(tenant.id, account.id, () => ({
        answer: undefined,
        next: what === "removes" ? null : next,
        audit: auditEntry(account.id),
        endSessionsAt: start + 9
      }))
    })
  })),
  "SingleSignOnStore.use": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* SingleSignOnStore
    return store.use(tenant.id, [{ key: `request ${digits()}`, expiresAt: start + 1000 }], start)
  }),
  "SingleSignOnStore.bind": Effect.fnUntraced(function* ({ account, tenant }) {
    const store = yield* SingleSignOnStore
    const [providerId, subject] = [mint("identityProvider"), `Subject-${digits()}`]
    const binding = { tenantId: tenant.id, providerId, subject, accountId: account.id }
    return store.bind(binding, auditEntry(providerId))
  }),
  "SingleSignOnStore.record": Effect.fnUntraced(function* ({ account, tenant }) {
    const store = yield* SingleSignOnStore
    return store.record(tenant.id, auditEntry(account.id))
  })
}

const recordWrites: Writes = {
  "KeptComplianceStore.keep": Effect.fnUntraced(function* ({ tenant }) {
    const worker = yield* putWorker(tenant.id)
    const store = yield* KeptComplianceStore
    const row = (yield* store.read(tenant.id, [worker])).get(worker)
    const status = statusOf({ checks: [], generation: 0 }, undefined)
    const events = [eventDraft(worker, "worker.complianceChanged")]
    const fields = { reason: "CONDITIONAL" as const, worker: { id: worker }, assignee: { id: null } }
    const tasks = [created(mint("task"), fields)]
    return store.keep(tenant.id, row === undefined ? [] : [{ row, status, tasks, events }])
  }),
  "ScanStore.insert": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* ScanStore
    const row = scan(tenant.id)
    return store.insert(row, auditEntry(row.correlationId))
  }),
  "AuditSealStore.insert": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* AuditSealStore
    const seal = {
      ...{ tenantId: tenant.id, number: 1, count: 1, firstId: "aud_1", lastId: "aud_1", lastPosition: 1 },
      ...{ entriesHash: "hash", contents: [], previousHash: "", sealedAt: start, signature: "signature" }
    }
    return store.insert(seal, [{ kind: "worker", id: yield* putWorker(tenant.id), version: 1, salt: "salt" }])
  }),
  "VerificationStore.begin": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* VerificationStore
    const id = yield* putCredential(tenant.id, {})
    return store.begin(tenant.id, id, ({ credential }) => {
      const next = Option.getOrThrow(Option.map(credential, (row) => ({ ...row, version: row.version + 1 })))
      return Result.succeed({ next, records: { ...noRecords, verifications: [verification(id)] } })
    })
  }),
  ...ofEach(
    Object.entries({ concluded: concluded(), "left for review": needsReview, postponed: postponed(start + 9, 1) }),
    ([what, conclusionOf]) => ({
      [`VerificationStore.conclude (${what})`]: Effect.fnUntraced(function* ({ tenant }) {
        const store = yield* VerificationStore
        const { credentialId } = yield* putAsked(tenant.id)
        const authority = { _tag: "Worker", run: { dueAt: start, attempt: 1 } } as const
        return store.conclude(tenant.id, credentialId, authority, (basis) =>
          Result.succeed<Conclusion>(conclusionOf(basis))
        )
      })
    })
  )
}

/** Stores a webhook with failed deliveries, and returns their ids. */
const failed = Effect.fnUntraced(function* (tenantId: string) {
  const store = yield* DeliveryStore
  const webhook = yield* putWebhook(tenantId)
  const pings = yield* sendPings(webhook, 2)
  for (const { id } of pings) {
    const before = Option.getOrThrow(yield* store.find(tenantId, id))
    yield* store.settle([answered(before, 500, start)], start, assessAt(start))
  }
  return { webhook, ids: pings.map(({ id }) => id) }
})

const deliveryWrites: Writes = {
  "DeliveryStore.begin": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* DeliveryStore
    const one = draft(yield* putWebhook(tenant.id))
    return store.begin(one, pinged(one))
  }),
  ...ofEach([1, 2], (count) => ({
    [`DeliveryStore.settle (${count})`]: Effect.fnUntraced(function* ({ tenant }) {
      const store = yield* DeliveryStore
      const pings = yield* sendPings(yield* putWebhook(tenant.id), count)
      const sent = yield* Effect.forEach(pings, ({ id }) => store.find(tenant.id, id))
      const settlements = sent.map((each) => answered(Option.getOrThrow(each), 200, start))
      return store.settle(settlements, start, assessAt(start))
    })
  })),
  "DeliveryStore.deadLetter": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* DeliveryStore
    yield* putWebhook(tenant.id)
    const { id } = yield* happen(tenant.id)
    return store.deadLetter(tenant.id, id, start + 9)
  }),
  "DeliveryStore.retryDeadLetters": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* DeliveryStore
    yield* putWebhook(tenant.id)
    const { id } = yield* happen(tenant.id)
    yield* store.deadLetter(tenant.id, id, start + 9)
    return store.retryDeadLetters(tenant.id, null, 10, auditEntry(tenant.id))
  }),
  ...ofEach(["by ids", "by state"], (what) => ({
    [`DeliveryStore.redrive (${what})`]: Effect.fnUntraced(function* ({ tenant }) {
      const store = yield* DeliveryStore
      const { ids, webhook } = yield* failed(tenant.id)
      const chosen = { states: deliveryStates, from: null, to: null, limit: 10 }
      const deliveryIds = what === "by ids" ? ids : null
      return store.redrive(tenant.id, webhook.webhookId, { ...chosen, deliveryIds }, auditEntry(webhook.webhookId))
    })
  })),
  "DeliveryStore.changeWebhook": Effect.fnUntraced(function* ({ tenant }) {
    const store = yield* DeliveryStore
    const { webhook } = yield* failed(tenant.id)
    return store.changeWebhook(tenant.id, webhook.webhookId, (before) => ({
      _tag: "Changed",
      next: { ...before, version: before.version + 1 },
      records: { audit: [auditEntry(before.id)], events: [] },
      subscribesTo: [],
      health: forgiven
    }))
  })
}

/** The writes of a tenant that its requests and its background work cause, at least one for each method of a port. */
export const tenantWrites: Writes = {
  ...resourceWrites,
  ...transitions,
  ...accessWrites,
  ...loginWrites,
  ...recordWrites,
  ...deliveryWrites
}

/** The method of a write. */
export const methodOf = (write: string): string => write.replace(/ \(.*/, "")

/** Creates a tenant: the only write that also concerns tables that are read before a tenant is known. */
export const newTenant = Effect.gen(function* () {
  const store = yield* AccessStore
  const tenant = {
    id: mint("tenant"),
    name: "Aged Care Ltd",
    timeZone: "Australia/Sydney",
    hosts: [freshHost(), freshHost()]
  }
  return { tenant, write: store.insertTenant(tenant, serviceAccountFor(tenant.id), auditEntry(tenant.id)) }
})

/** The other writes of the ports. They concern work of all tenants, or no tenant. */
export const sharedWrites: Readonly<Record<string, string>> = {
  "AccessStore.insertTenant": "an operator's; tested by itself",
  "AccessStore.insertSigningKey": "keys belong to the deployment",
  "AccessStore.resealSigningKey": "keys belong to the deployment",
  "DeliveryStore.fanOut": "a worker sends the waiting events of all tenants",
  "DeliveryStore.forget": "a worker deletes old rows of all tenants",
  "LeaseStore.beat": "workers divide the work of all tenants"
}
