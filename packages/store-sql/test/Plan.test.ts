import { assert, layer } from "@effect/vitest"
import { Caller } from "@wcs/domain/access/Caller"
import * as Privilege from "@wcs/domain/access/Privilege"
import { EventStore } from "@wcs/domain/audit/EventStore"
import * as VerificationReport from "@wcs/domain/credential/VerificationReport"
import { ResourceHistory } from "@wcs/domain/crud/ResourceHistory"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Ban } from "@wcs/domain/holding/Ban"
import { Credential } from "@wcs/domain/holding/Credential"
import { Exemption } from "@wcs/domain/holding/Exemption"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import { type Cursor, numericColumns, parse, type Query, type Selection } from "@wcs/domain/resource/ListQuery"
import type { Resource } from "@wcs/domain/resource/Resource"
import type { TimelineSelection } from "@wcs/domain/resource/Timeline"
import { ComplianceCheck } from "@wcs/domain/screening/ComplianceCheck"
import * as ComplianceEvaluation from "@wcs/domain/screening/ComplianceEvaluation"
import { FetchRequest } from "@wcs/domain/screening/FetchRequests"
import { RecruitmentCheck } from "@wcs/domain/screening/RecruitmentChecks"
import { ScreeningPackage } from "@wcs/domain/screening/ScreeningPackage"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { UserStore } from "@wcs/domain/user/UserStore"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { ReadLimits } from "@wcs/store-sql/engine/BoundedReads"
import { putTenant, putToken } from "@wcs/store-suite/access/AccessFixtures"
import { auditEntry, created, freshTenant, idFor, mint, put, revise, workerFields } from "@wcs/store-suite/Fixtures"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import { sortsOf, usesOf } from "@wcs/store-suite/resource/FilterUses"
import { Array as Arr, Effect, Layer, Record, Result, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { assertInOrder, lookupsOf, planOf, recording, tableScansOf } from "./recording.ts"
import { store } from "./temporary.ts"
import { readTenantId, type TimelineRead, timelineReads } from "./timelineReads.ts"

/** A user of a tenant, as use cases see it. */
const callerOf = (tenantId: string): Caller["Service"] => ({
  tenantId,
  timeZone: "Australia/Sydney",
  account: "urn:wcs:account:acc_0000000000000000",
  privileges: Privilege.privilegesOf("Viewer"),
  bearer: { kind: "personal", id: "pat_0000000000000000" },
  rateLimitKey: "test",
  rateLimit: null,
  workerId: null
})

const limitedCaller: Caller["Service"] = { ...callerOf(readTenantId), limitedTo: [] }

const tenantId = readTenantId
const today = "2026-01-31"

const selectionOf = (resource: Resource, query: Query): Selection => Result.getOrThrow(parse(resource, query, today))

const pagePlan = Effect.fnUntraced(function* (resource: Resource, selection: Selection) {
  const resourceStore = yield* ResourceStore
  const { ran } = yield* recording(resourceStore.list(resource, tenantId, selection))
  return (yield* Effect.forEach(ran, planOf)).flat()
})

const searches = (plan: ReadonlyArray<string>, column: string): boolean =>
  plan.some(
    (line) => /^SEARCH /.test(line) && new RegExp(`\\(tenant_id=\\? AND (kind=\\? AND )?${column}[=<>]`).test(line)
  )

/** Another tenant with a single status and type. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Messages with one value for all would be several for a cause.
  yield* sql`DROP INDEX message_once`
  for (const { columns, type } of definitions) {
    const names = Object.keys(columns)
    yield* sql.unsafe(
      `INSERT INTO ${type} (tenant_id, id, version, created_at, updated_at, document, checksum, ${names.join(", ")})
       SELECT 'tnt_1111111111111111', value, 1, value, value, '{}', 0, ${names.map(() => "'same'").join(", ")}
       FROM json_each('${JSON.stringify(Array.from({ length: 500 }, (_, n) => n))}')`
    )
  }
  yield* sql.unsafe(
    `INSERT INTO audit_event (tenant_id, id, account, operation, action, entity_type, entity_id, request_id, at)
     SELECT 'tnt_1111111111111111', 'aud_' || value, 'same', 'UPDATE', 'same', 'same', 'same', 'same', value
     FROM json_each('${JSON.stringify(Array.from({ length: 500 }, (_, n) => n))}')`
  )
  yield* sql.unsafe(
    `INSERT INTO scan (tenant_id, correlation_id, credential_type, identifier, first_name, surname, status, outcome,
      credential_id, account, request_id, at)
     SELECT 'tnt_1111111111111111', value, 'same', 'same', 'same', 'same', 'same', 'same', 'same', 'same', 'same', value
     FROM json_each('${JSON.stringify(Array.from({ length: 500 }, (_, n) => n))}')`
  )
})

/** Lookups by several columns, of which SQLite chooses one. */
const combined: ReadonlyArray<TimelineRead> = [
  {
    what: "audit events by several fields",
    read: (selection) => EventStore.use((store) => store.audit(tenantId, selection as TimelineSelection<never>)),
    lookups: [
      [["account", "entityType"], "account"],
      [["entityType", "account", "entityId"], "entity_id"],
      [["bearer"], "bearer_kind"],
      [["requestId", "entityId", "action"], "request_id"],
      [["bearer", "action", "account"], "account"]
    ]
  },
  {
    what: "scans by several fields",
    read: (selection) => ScanStore.use((store) => store.list(tenantId, selection as TimelineSelection<never>)),
    lookups: [[["status", "identifier"], "card"]]
  },
  {
    what: "changes of owners",
    read: (selection) =>
      EventStore.use((store) => store.ownership(tenantId, "value", { ...selection, conditions: [] })),
    lookups: [[[], "entity_id"]]
  }
]

const conditionOfCursor = (column: string, direction: string) =>
  column === "id" ? `id${direction}?` : `(${column},id)${direction}(?,?)`

layer(store)("how lists are read", (it) => {
  for (const resource of definitions) {
    for (const [field, uses] of Map.groupBy(
      usesOf(resource, () => "value"),
      (use) => use.field
    )) {
      it.effect(`${resource.collection}?${field} uses the column's index, in every order, for the count too`, () =>
        Effect.gen(function* () {
          for (const { columns, query } of uses) {
            for (const sort of Object.keys(sortsOf(resource))) {
              const selection = selectionOf(resource, { ...query, sort: `${sort}:desc`, includeTotal: "true" })
              const plan = yield* pagePlan(resource, selection)
              assert.deepStrictEqual(tableScansOf(plan), [], plan.join("\n"))
              for (const column of columns) assert.isTrue(searches(plan, column), `${column}\n${plan.join("\n")}`)
            }
          }
        })
      )
    }

    for (const direction of ["asc", "desc"] as const) {
      it.effect(`${resource.collection} in ${direction} order come from an index, starting at a cursor`, () =>
        Effect.gen(function* () {
          for (const [sort, column] of Object.entries(sortsOf(resource))) {
            const selection = selectionOf(resource, { sort: `${sort}:${direction}` })
            const after: Cursor = { key: numericColumns.includes(column) ? 1 : "key", id: "id" }
            for (const from of [undefined, after]) {
              const plan = yield* pagePlan(resource, { ...selection, after: from })
              assertInOrder(plan)
              const beyond = conditionOfCursor(column, direction === "asc" ? ">" : "<")
              for (const line of lookupsOf(plan)) if (from !== undefined) assert.include(line, beyond)
            }
          }
        })
      )
    }
  }

  for (const { lookups, read, what } of [...timelineReads, ...combined]) {
    it.effect(`${what} use the column's index, in order in both directions, for the count too`, () =>
      Effect.gen(function* () {
        for (const [fields, column] of lookups) {
          const looked = column === undefined ? "" : ` AND ${column}=?`
          const conditions = fields.map((field) => ({ field, value: "value" }))
          for (const direction of ["asc", "desc"] as const) {
            for (const after of [undefined, 1]) {
              const common = { conditions, direction, after, pageSize: 25, includeDeleted: false }
              const { ran } = yield* recording(read({ ...common, includeTotal: true }))
              const [page = [], total = []] = yield* Effect.forEach(ran, planOf)
              const beyond = after === undefined ? "" : ` AND position${direction === "asc" ? ">" : "<"}?`
              assert.lengthOf(ran, 2)
              assertInOrder(page)
              for (const line of lookupsOf(page)) assert.include(line, `(tenant_id=?${looked}${beyond})`)
              assertInOrder(total)
              for (const line of lookupsOf(total)) assert.include(line, `(tenant_id=?${looked})`)
            }
          }
        }
      })
    )
  }

  it.effect("deliveries by state and kind are found by both together, and those that have arrived by the kind", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      for (const [webhook, state, looked] of [
        [null, "EXHAUSTED", "(tenant_id=? AND state=? AND kind=?)"],
        [null, "DELIVERED", "(tenant_id=? AND kind=?)"],
        [null, "PENDING", "(tenant_id=? AND state=? AND kind=?)"],
        ["whk_1", "DELIVERED", "(tenant_id=? AND webhook_id=? AND kind=?)"],
        ["whk_1", "PENDING", "(tenant_id=? AND webhook_id=? AND state=?)"]
      ] as const) {
        const conditions = [
          { field: "state", value: state },
          { field: "event", value: "webhook.test" }
        ] as const
        const selection = {
          conditions,
          direction: "asc",
          after: undefined,
          pageSize: 25,
          includeDeleted: false
        } as const
        const { ran } = yield* recording(store.list(tenantId, webhook, { ...selection, includeTotal: true }))
        for (const plan of yield* Effect.forEach(ran, planOf)) {
          assertInOrder(plan)
          for (const line of lookupsOf(plan)) assert.include(line, looked)
        }
      }
    })
  )

  it.effect("a time range limits the positions that are read, with any other filter of audit events", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      for (const [field, looked] of [
        [undefined, ""],
        ["account", " AND account=?"],
        ["action", " AND action=?"]
      ] as const) {
        const conditions = field === undefined ? [] : [{ field, value: "value" }]
        for (const direction of ["asc", "desc"] as const) {
          for (const after of [undefined, 7]) {
            const selection = { conditions, direction, after, from: 3, to: 9, pageSize: 25, includeDeleted: false }
            const { ran } = yield* recording(store.audit(tenantId, { ...selection, includeTotal: true }))
            for (const plan of yield* Effect.forEach(ran, planOf)) {
              assert.isNotEmpty(lookupsOf(plan))
              for (const line of lookupsOf(plan)) {
                assert.include(line, `(tenant_id=?${looked} AND position>? AND position<?)`)
              }
              for (const line of plan.filter((one) => /^SEARCH [mp] /.test(one))) {
                assert.match(line, /INDEX audit_event_of_tenant \(tenant_id=\?( AND position>\?)?\)$/)
              }
              assert.deepStrictEqual(tableScansOf(plan), [])
              assert.notInclude(plan.join("\n"), "B-TREE")
            }
          }
        }
      }
    })
  )

  it.effect("a lookup combined with a status uses the more selective one", () =>
    Effect.gen(function* () {
      const query = { status: "NEW", sourceSystem: "hr", query: "ada", externalId: "17" }
      const plan = yield* pagePlan(Applicant, selectionOf(Applicant, query))
      for (const line of lookupsOf(plan)) {
        assert.include(line, "applicant_by_external_id (tenant_id=? AND external_id=?)")
      }
      const { externalId: _, ...others } = query
      const prefixed = yield* pagePlan(Applicant, selectionOf(Applicant, others))
      assert.isTrue(searches(prefixed, "word"))
      assert.deepStrictEqual(tableScansOf(prefixed), [])
    })
  )

  it.effect("an evaluation looks up the check, the workers, and once the holdings of each of these", () =>
    Effect.gen(function* () {
      const { evaluate } = yield* Effect.provide(ComplianceEvaluation.make, Privilege.layer)
      const [tenant, worker, code] = [freshTenant(), mint("worker"), idFor(ComplianceCheck)]
      yield* put(Worker, tenant, created(worker, workerFields({ source: { externalId: "17" } })))
      const requirement = { credentialTypes: ["FIRST_AID"], mode: "ALL", exemptionsCount: true } as const
      const check = { code, displayName: "First aid", severity: "INFO", enabled: true, requirement } as const
      yield* put(ComplianceCheck, tenant, created(code, check))
      const evaluation = evaluate(code, {}, { workers: [{ id: worker }, { externalId: "17" }] })
      const { ran } = yield* recording(Effect.provideService(evaluation, Caller, callerOf(tenant)))
      const plans = yield* Effect.forEach(ran, planOf)
      const held = [
        /^SEARCH r USING COVERING INDEX credential_of_worker_id \(tenant_id=\? AND worker_id=\?\)$/,
        /^SEARCH r USING COVERING INDEX exemption_of_worker_id \(tenant_id=\? AND worker_id=\?\)$/
      ]
      const byId = /^SEARCH r USING INDEX sqlite_autoindex_\w+ \(tenant_id=\? AND id=\?\)$/
      const byName = /^SEARCH r USING COVERING INDEX worker_by_external_id \(tenant_id=\? AND external_id=\?\)/
      const byWorker = /^SEARCH r USING (COVERING )?INDEX ban_of_worker_id \(tenant_id=\? AND worker_id=\?/
      const expected = [byId, byId, byName, byWorker, ...held]
      assert.lengthOf(plans, expected.length)
      for (const [index, plan] of plans.entries()) assert.match(lookupsOf(plan)[0] ?? "", expected[index] ?? /^$/)
    })
  )

  it.effect("the holdings of each of fifty workers are found by worker, in order, without sorting", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const workers = Array.from({ length: 50 }, () => mint("worker"))
      for (const resource of [Credential, Exemption] as ReadonlyArray<Resource>) {
        const { ran } = yield* recording(store.heldByEach(resource, tenantId, workers, 1001))
        assert.lengthOf(ran, 50)
        for (const plan of yield* Effect.forEach(ran, planOf)) {
          assertInOrder(plan)
          const index = `${resource.type}_of_worker_id (tenant_id=? AND worker_id=?)`
          for (const line of lookupsOf(plan)) assert.include(line, index)
        }
      }
      for (const read of [store.findAll, store.versions]) {
        const { ran } = yield* recording<unknown, never, never>(read(Worker, tenantId, workers))
        assert.include((yield* Effect.forEach(ran, planOf)).flat().join("\n"), "(tenant_id=? AND id=?)")
      }
    })
  )

  it.effect(
    "versions as of a time are found by id or worker, one statement each, and a page by the time of creation",
    () =>
      Effect.gen(function* () {
        const { asOf, versionsAt } = yield* ResourceHistory
        const reads = asOf(1)
        const byTime = "resource_version_by_time (tenant_id=? AND kind=? AND id=? AND updated_at=?"
        const byId = "sqlite_autoindex_resource_version_1 (tenant_id=? AND kind=? AND id=?"
        const held = "resource_version_of_worker (tenant_id=? AND worker_id=? AND kind=?"
        const asked = [
          [reads.findAll(Credential, tenantId, [idFor(Credential)]), byId],
          [versionsAt(Worker, tenantId, [{ id: idFor(Worker), at: 1 }]), byTime, byId],
          [reads.heldByEach(Credential, tenantId, [idFor(Worker)], 10), held, byId],
          [reads.page(Worker, tenantId, { after: undefined, pageSize: 10 }), "worker_by_created_at (tenant_id=?", byId]
        ] as const
        for (const [read, ...indexes] of asked) {
          const { ran } = yield* recording<unknown, never, never>(read)
          assert.lengthOf(ran, 1)
          const plan = (yield* Effect.forEach(ran, planOf)).flat()
          assert.deepStrictEqual(tableScansOf(plan), [], plan.join("\n"))
          for (const index of indexes) assert.include(plan.join("\n"), index)
        }
      })
  )

  it.effect("R16: the report of verifications reads pages of workers and their credentials by index, in order", () =>
    Effect.gen(function* () {
      const tenant = freshTenant()
      for (let nth = 0; nth < 60; nth++) yield* put(Worker, tenant, created(mint("worker"), workerFields()))
      const { all } = yield* VerificationReport.make
      const whole = Effect.flatMap(all({ sort: "displayName:asc" }), Stream.runCollect)
      const { answer, ran } = yield* recording(Effect.provideService(whole, Caller, callerOf(tenant)))
      assert.lengthOf(answer.flat(), 60)
      const plans = yield* Effect.forEach(ran, planOf)
      const read = Record.map(
        Arr.groupBy(plans, (plan) => /INDEX (\w+)/.exec(lookupsOf(plan)[0] ?? "")?.[1] ?? ""),
        ({ length }) => length
      )
      assert.deepStrictEqual(read, { worker_by_display_name: 2, credential_of_worker_id: 60 })
      for (const plan of plans) assertInOrder(plan)
    })
  )

  it.effect("a tree of tokens and clients, and the clients of an account, are found by their creator", () =>
    Effect.gen(function* () {
      const [access, users] = [yield* AccessStore, yield* UserStore]
      const { account, tenant } = yield* putTenant
      const row = yield* putToken(account)
      const revoked = access.revokeTree(tenant.id, { entityType: "accessToken", id: row.id }, () =>
        Result.succeed([auditEntry(row.id, { entityType: "accessToken" })])
      )
      const changed = users.change(tenant.id, account.id, () => Result.succeed(undefined))
      const { ran } = yield* recording(Effect.andThen(revoked, changed))
      const plans = (yield* Effect.forEach(
        ran.filter(({ text }) => /personal_token|oauth_client/.test(text)),
        planOf
      )).flat()
      assert.deepStrictEqual(tableScansOf(plans), [])
      const searches = plans.filter((line) => /^SEARCH (t|c|personal_token|oauth_client) /.test(line))
      assert.isAtLeast(searches.length, 8)
      for (const line of searches) assert.match(line, /\(tenant_id=\? AND (created_by_\w+|id|client_id)=\?\)$/)
    })
  )

  it.effect("a limited user's scans look up the credential of each, and read no others", () =>
    Effect.gen(function* () {
      const store = yield* ScanStore
      const selection = {
        conditions: [],
        direction: "desc",
        after: undefined,
        pageSize: 25,
        includeDeleted: false,
        includeTotal: false
      } as const
      const { ran } = yield* recording(Effect.provideService(store.list(tenantId, selection), Caller, limitedCaller))
      const plan = (yield* Effect.forEach(ran, planOf)).flat()
      const cards = plan.filter((line) => /^(SEARCH|SCAN) c /.test(line))
      assert.isNotEmpty(cards)
      for (const line of cards) assert.match(line, /\(tenant_id=\? AND id=\?\)$/, plan.join("\n"))
    })
  )

  it.effect("a limited user's page of workers as of a time tests their units before it looks up versions", () =>
    Effect.gen(function* () {
      const { asOf } = yield* ResourceHistory
      const page = asOf(10).page(Worker, tenantId, { after: undefined, pageSize: 25 })
      const { ran } = yield* recording(Effect.provideService(page, Caller, limitedCaller))
      const text = ran.map((statement) => statement.text).join("\n")
      assert.match(text, /\bt\.unit_id IN/)
      assert.notMatch(text, /FROM worker AS p/)
    })
  )

  it.effect("a scan finds its credentials by identifier, because few credentials share one", () =>
    Effect.gen(function* () {
      const query = { credentialType: "WWCC_NSW", identifier: "WWC1234567E", pageSize: "2" }
      const plan = yield* pagePlan(Credential, selectionOf(Credential, query))
      assertInOrder(plan)
      assert.include(lookupsOf(plan)[0], "credential_of_identifier (tenant_id=? AND identifier=?)")
    })
  )

  it.effect("a change of a name finds the entries of the former words by their whole key", () =>
    Effect.gen(function* () {
      const [tenant, id] = [freshTenant(), mint("worker")]
      yield* put(Worker, tenant, created(id, workerFields()))
      const fields = workerFields({ identity: { displayName: "Grace Hopper" } })
      const { ran } = yield* recording(revise(Worker, tenant, id, (current) => ({ ...current, version: 2, fields })))
      const removals = ran.filter(({ text }) => text.startsWith("DELETE FROM search_word"))
      const plans = yield* Effect.forEach(removals, planOf)
      assert.lengthOf(plans, 1)
      const found = plans.flat().filter((line) => line.includes(" search_word "))
      assert.lengthOf(found, 1)
      assert.include(found[0], "sqlite_autoindex_search_word_1 (tenant_id=? AND kind=? AND word=? AND id=?)")
    })
  )

  it.effect("many of one kind are read in the order of creation, without sorting", () =>
    Effect.gen(function* () {
      for (const [resource, query] of [
        [Worker, { sourceSystem: "hr" }],
        [Applicant, { status: "NEW" }],
        [Credential, { credentialType: "WWCC_NSW" }],
        [Credential, { eligibility: "MAY_ENGAGE" }],
        [Credential, { identifier: "WWC1234567E" }],
        [Exemption, { exemptionType: "MEDICAL" }],
        [Exemption, { jurisdiction: "NSW" }],
        [ScreeningPackage, { active: "true" }],
        [ComplianceCheck, { severity: "WARNING" }],
        [Ban, { register: "ndis" }],
        [Ban, { eligibility: "MAY_NOT_ENGAGE" }],
        [RecruitmentCheck, { status: "SENT" }],
        [RecruitmentCheck, { screeningPackageCode: "aged-care" }],
        [FetchRequest, { status: "CANCELLED" }],
        [FetchRequest, { workerId: "wkr_0123456789abcdef" }]
      ] as ReadonlyArray<readonly [Resource, Query]>) {
        const plan = yield* pagePlan(resource, { ...selectionOf(resource, query), after: { key: 1, id: "id" } })
        assertInOrder(plan)
        assert.include(lookupsOf(plan)[0], "(created_at,id)>(?,?)")
      }
    })
  )
})

// With `few` of 0 and chunks of half the table: the other tenant's 500 rows are all of one kind.
const crowded = Layer.provideMerge(Layer.effectDiscard(fill), store).pipe(
  Layer.provide(Layer.succeed(ReadLimits, { few: 0, examined: 250, characters: 1_000_000, decoded: 1_000_000 }))
)

layer(crowded)("how a list with many matches is read", (it) => {
  for (const resource of definitions) {
    it.effect(`${resource.collection} are read in each order, in chunks, without sorting`, () =>
      Effect.gen(function* () {
        const resourceStore = yield* ResourceStore
        const columns = Object.keys(resource.columns).filter((column) => !resource.columns[column]?.apart)
        for (const column of Object.values(sortsOf(resource))) {
          for (const condition of columns.filter((each) => each !== column)) {
            const selection: Selection = {
              ...selectionOf(resource, {}),
              conditions: [{ _tag: "From", column: condition, value: "s" }],
              sort: { column, direction: "desc" }
            }
            const list = resourceStore.list(resource, "tnt_1111111111111111", selection)
            // The rows have no documents, which fails after all of them have been read.
            const { ran } = yield* recording(Effect.exit(list))
            const plans = yield* Effect.forEach(ran, planOf)
            const [, page = [], ...others] = plans
            assert.deepStrictEqual(others, [])
            assertInOrder(page)
            const index = column === "id" ? `sqlite_autoindex_${resource.type}_1` : `${resource.type}_by_${column}`
            assert.include(lookupsOf(page)[0], `${index} (tenant_id=?)`)
          }
        }
      })
    )
  }
})
