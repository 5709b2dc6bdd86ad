import { assert, layer } from "@effect/vitest"
import { accountUrn } from "@wcs/domain/access/Account"
import { Caller, reachOf } from "@wcs/domain/access/Caller"
import { privilegesOf, type Role } from "@wcs/domain/access/Privilege"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceHistory } from "@wcs/domain/crud/ResourceHistory"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { Exemption } from "@wcs/domain/holding/Exemption"
import { reasons } from "@wcs/domain/merge/DuplicatePairs"
import { DuplicateStore } from "@wcs/domain/merge/DuplicateStore"
import { belongings } from "@wcs/domain/people/Oversight"
import { Worker } from "@wcs/domain/people/Worker"
import { type Cursor, numericColumns, parse, type Query, type Selection } from "@wcs/domain/resource/ListQuery"
import type { Resource } from "@wcs/domain/resource/Resource"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { user } from "@wcs/store-suite/access/AccessFixtures"
import { auditEntry, created, mint, put, type Stores, start, workerRef } from "@wcs/store-suite/Fixtures"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import { sortsOf, usesOf } from "@wcs/store-suite/resource/FilterUses"
import { watching } from "@wcs/store-suite/resource/ProgressionFixtures"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { postgresStore } from "../engines.ts"
import { recording } from "../recording.ts"
import { readTenantId, timelineReads } from "../timelineReads.ts"
import { isScan, planOf, type Step, shown } from "./postgresPlans.ts"

const looksUp = (plan: ReadonlyArray<Step>, column: string): boolean =>
  plan.some((node) => node["Index Cond"]?.match(new RegExp(`\\b${column} (=|<|>|>=|<=) `)))

const tenantId = readTenantId
const rowsEach = 2_000

/** One tenant with many different values and one with a single value, equally large, with statistics. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Messages with one value for all would be several for a cause.
  yield* sql`DROP INDEX message_once`
  for (const { columns, searched, type } of definitions) {
    const names = [...Object.keys(columns), ...(searched === undefined ? [] : ["words"])]
    // References use ids like the rows': a join is planned by the values on both sides.
    const own = (name: string) => (name.endsWith("_id") ? "'id' || n" : "'v' || n")
    for (const [tenant, value] of [
      [tenantId, own],
      ["tnt_1111111111111111", () => "'same'"]
    ] as const) {
      yield* sql.unsafe(
        `INSERT INTO ${type} (tenant_id, id, version, created_at, updated_at, document, checksum, ${names.join(", ")})
         SELECT '${tenant}', 'id' || n, 1, n, n, '{}', 0, ${names.map(value).join(", ")}
         FROM generate_series(1, ${rowsEach}) AS n`
      )
      if (searched === undefined) continue
      yield* sql.unsafe(
        `INSERT INTO search_word (tenant_id, kind, word, id)
         SELECT '${tenant}', '${type}', ${value("word")}, 'id' || n FROM generate_series(1, ${rowsEach}) AS n`
      )
    }
  }
  for (const table of ["audit_event", "delivery", "personal_token", "oauth_client", "scan"]) yield* fillTimeline(table)
  yield* sql`ANALYZE`
})

/** Rows of both tenants in a table of a timeline, with distinct texts in the first. */
const fillTimeline = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ readonly name: string; readonly type: string }>`
    SELECT column_name AS name, data_type AS type FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name = ${table} AND (is_nullable = 'NO' OR column_name IN ('subject_id', 'correlation_id'))
      AND is_identity = 'NO' AND column_name <> 'tenant_id'`
  const names = columns.map(({ name }) => name).join(", ")
  for (const tenant of [tenantId, "tnt_1111111111111111"]) {
    const values = columns.map(({ type }) => (type === "bigint" ? "n" : `'${tenant}' || n`)).join(", ")
    yield* sql.unsafe(
      `INSERT INTO ${table} (tenant_id, ${names}) SELECT '${tenant}', ${values} FROM generate_series(1, ${rowsEach}) AS n`
    )
  }
})

const selectionOf = (resource: Resource, query: Query): Selection =>
  Result.getOrThrow(parse(resource, query, "2026-01-31"))

/** The plan of each statement of a list. The missing documents fail only after the read. */
const plansOf = Effect.fnUntraced(function* (resource: Resource, selection: Selection) {
  const store = yield* ResourceStore
  const { ran } = yield* recording(Effect.exit(store.list(resource, tenantId, selection)))
  return yield* Effect.forEach(ran, planOf)
})

layer(Layer.provideMerge(Layer.effectDiscard(fill), postgresStore))("how lists are read on Postgres", (it) => {
  for (const resource of definitions) {
    for (const [field, uses] of Map.groupBy(
      usesOf(resource, () => "value"),
      (use) => use.field
    )) {
      it.effect(`${resource.collection}?${field} uses the column's index, in every order, for the count too`, () =>
        Effect.gen(function* () {
          for (const { columns, query } of uses) {
            for (const sort of Object.keys(sortsOf(resource))) {
              // Every row here expires after the day. Without an upper bound a planner rightly reads them in list
              // order.
              const end = field === "expiringFrom" ? { expiringBefore: "2026-02-28" } : {}
              const asked = { ...query, ...end, sort: `${sort}:desc`, includeTotal: "true" }
              const selection = selectionOf(resource, asked)
              const plans = yield* plansOf(resource, selection)
              // Rows of the people of a unit are counted first.
              assert.lengthOf(plans, columns.includes("unit_id") && columns.length > 1 ? 3 : 2)
              for (const plan of plans) {
                assert.deepStrictEqual(plan.filter(isScan), [], shown(plan))
              }
              // A search finds the ids and the total. Only then it reads the page by the ids.
              for (const plan of columns.includes("word") ? plans.slice(0, 1) : plans) {
                for (const column of columns) assert.isTrue(looksUp(plan, column), `${column}\n${shown(plan)}`)
              }
            }
          }
        })
      )
    }

    it.effect(
      `${resource.collection} come from an index in either direction, from a cursor or the start, without sorting`,
      () =>
        Effect.gen(function* () {
          for (const [sort, column] of Object.entries(sortsOf(resource))) {
            for (const direction of ["asc", "desc"]) {
              const selection = selectionOf(resource, { sort: `${sort}:${direction}` })
              const after: Cursor = { key: numericColumns.includes(column) ? 1000 : "v5", id: "id5" }
              for (const from of [undefined, after]) {
                const [plan = []] = yield* plansOf(resource, { ...selection, after: from })
                assert.deepStrictEqual(plan.filter(isScan), [], shown(plan))
                assert.notIncludeMembers(
                  plan.map((node) => node["Node Type"]),
                  ["Sort"],
                  shown(plan)
                )
                if (from !== undefined) assert.isTrue(looksUp(plan, "id") || shown(plan).includes("ROW("), shown(plan))
              }
            }
          }
        })
    )
  }

  it.effect("threat 68: lists of a user who is limited to a small unit find its people, and the rows of these", () =>
    Effect.gen(function* () {
      const role: Role = { role: "Admin", units: ["id5"] }
      const account = user(tenantId, { role })
      yield* (yield* AccessStore).insertAccount(account, auditEntry(account.id), () => Result.void)
      const caller: Caller["Service"] = {
        ...{
          tenantId,
          timeZone: "Australia/Sydney",
          account: accountUrn(account.id),
          rateLimitKey: "",
          rateLimit: null
        },
        ...{ workerId: null, bearer: { kind: "password", id: account.id } },
        ...reachOf({ privilegesOf }, role)
      }
      for (const resource of definitions.filter(({ type }) => ["Person", "Held"].includes(belongings[type]._tag))) {
        for (const query of [{ includeTotal: "true" }, { sort: "updatedAt:desc" }]) {
          const selection = selectionOf(resource, query)
          const plans = yield* Effect.provideService(plansOf(resource, selection), Caller, caller)
          assert.lengthOf(plans, query.includeTotal === undefined ? 2 : 3)
          for (const plan of plans) {
            const scans = plan.filter(
              (step) => isScan(step) && !["account", "unit"].includes(step["Relation Name"] ?? "")
            )
            assert.deepStrictEqual(scans, [], `${resource.type}\n${shown(plan)}`)
            assert.isTrue(looksUp(plan, "unit_id"), `${resource.type}\n${shown(plan)}`)
          }
        }
      }
    })
  )

  for (const { lookups, read, what } of timelineReads) {
    it.effect(`${what} use the column's index, in order, for the count too`, () =>
      Effect.gen(function* () {
        for (const [fields, column = "tenant_id"] of lookups) {
          const conditions = fields.map((field) => ({ field, value: `${tenantId}7` }))
          for (const direction of ["asc", "desc"] as const) {
            const common = { conditions, direction, after: 5, pageSize: 25, includeDeleted: false }
            const { ran } = yield* recording(Effect.exit(read({ ...common, includeTotal: true })))
            const [page = [], total = []] = yield* Effect.forEach(ran, planOf)
            // A sequential scan is fine for counting half of all rows.
            for (const plan of fields.length === 0 ? [page] : [page, total]) {
              assert.deepStrictEqual(plan.filter(isScan), [], shown(plan))
              assert.isTrue(looksUp(plan, column), shown(plan))
            }
          }
        }
      })
    )
  }

  it.effect("rows, and the versions of changed rows, are found by their ids", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      for (const resource of definitions) {
        const ids = ["id5", "id7"]
        const reads: ReadonlyArray<Effect.Effect<unknown>> = [
          store.versions(resource, tenantId, ids),
          store.findAll(resource, tenantId, ids)
        ]
        for (const read of reads) {
          const { ran } = yield* recording(Effect.exit(read)) // the missing documents fail only after the read
          const [plan = []] = yield* Effect.forEach(ran, planOf)
          assert.deepStrictEqual(plan.filter(isScan), [], shown(plan))
          assert.isTrue(looksUp(plan, "id"), shown(plan))
        }
      }
    })
  )

  it.effect("keys of duplicates are compared in the order of an index, without sorting", () =>
    Effect.gen(function* () {
      const store = yield* DuplicateStore
      for (const reason of reasons) {
        const { ran } = yield* recording(store.groups(tenantId, reason, undefined, 10))
        assert.lengthOf(ran, 1)
        for (const plan of yield* Effect.forEach(ran, planOf)) {
          const slow = plan.filter((node) => isScan(node) || node["Node Type"].includes("Sort"))
          assert.deepStrictEqual(slow, [], shown(plan))
        }
      }
    })
  )

  it.effect("R16: the credentials of each worker of a report are found by the worker, in order", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      for (const [tenant, worker] of [
        [tenantId, "id9"],
        ["tnt_1111111111111111", "same"]
      ] as const) {
        // The missing documents fail only after the read.
        const { ran } = yield* recording(Effect.exit(store.heldByEach(Credential, tenant, [worker, "id8"], 101)))
        assert.isAtLeast(ran.length, 1)
        for (const plan of yield* Effect.forEach(ran, planOf)) {
          assert.deepStrictEqual(plan.filter(isScan), [], shown(plan))
          assert.isTrue(looksUp(plan, "worker_id"), shown(plan))
          assert.notInclude(shown(plan), "Sort")
        }
      }
    })
  )

  it.effect("versions as of a time are found by id or worker, and a page by the time of creation", () =>
    Effect.gen(function* () {
      const { asOf } = yield* ResourceHistory
      const reads = asOf(rowsEach)
      for (const tenant of [tenantId, "tnt_1111111111111111"]) {
        const after = { createdAt: 1000, id: "id1000" }
        for (const [read, condition] of [
          [reads.findAll(Credential, tenant, ["id5", "id7"]), /\bid = /],
          [reads.heldByEach(Credential, tenant, [tenant === tenantId ? "id9" : "same"], 101), /\bworker_id = /],
          [reads.page(Worker, tenant, { after: undefined, pageSize: 25 }), /\bcreated_at <= /],
          [reads.page(Worker, tenant, { after, pageSize: 25 }), /ROW\(created_at, id\) > /]
        ] as const) {
          const { ran } = yield* recording(Effect.exit(read as Effect.Effect<unknown>)) // no document fits
          assert.lengthOf(ran, 1)
          const [plan = []] = yield* Effect.forEach(ran, planOf)
          assert.deepStrictEqual(plan.filter(isScan), [], shown(plan))
          const conditions = plan.flatMap((node) => node["Index Cond"] ?? [])
          assert.isTrue(
            conditions.some((text) => condition.test(text)),
            shown(plan)
          )
        }
      }
    })
  )

  it.effect("a transition finds its credential by id, and the owner too", () =>
    Effect.gen(function* () {
      const ownership = yield* OwnershipStore
      const moved = ownership.transition(tenantId, { _tag: "Ids", ids: ["id1"] }, { type: "worker", id: "id9" }, () =>
        Result.succeed({
          answer: undefined,
          changes: new Map([["id1", { worker: "id9", applicant: null }]]),
          records: { audit: [auditEntry("id1")], events: [] },
          at: start
        })
      )
      const { ran } = yield* recording(moved)
      assert.lengthOf(ran, 2)
      for (const plan of yield* Effect.forEach(ran, planOf)) {
        const read = plan.filter((node) => ["credential", "worker"].includes(node["Relation Name"] ?? ""))
        assert.isAtLeast(read.filter(({ "Index Cond": condition }) => condition !== undefined).length, 2, shown(plan))
        assert.notIncludeMembers(
          read.map((node) => node["Node Type"]),
          ["Seq Scan"],
          shown(plan)
        )
      }
    })
  )

  it.effect("a person's open requests are found by the index of open ones, by transitions and changes", () =>
    Effect.gen(function* () {
      const { progression } = watching(workerRef("id9"))
      const link = (yield* OwnershipStore).transition(tenantId, { _tag: "Ids", ids: ["id2"] }, workerRef("id9"), () =>
        Result.succeed({ answer: undefined, changes: new Map(), records: noRecords, at: start })
      )
      const change = put(Exemption, tenantId, created(mint("exemption"), { exemptionType: "MEDICAL" }), {
        ...noRecords,
        progressions: [progression]
      })
      for (const effect of [link, change]) {
        const { ran } = yield* recording<unknown, unknown, Stores>(effect)
        const lookups = ran.filter(({ text }) => text.includes("captureRequest"))
        assert.lengthOf(lookups, 1)
        for (const plan of yield* Effect.forEach(lookups, planOf)) {
          const read = plan.filter((node) => node["Index Name"] === "capturerequest_open")
          assert.lengthOf(read, 1, shown(plan))
          assert.include(read[0]?.["Index Cond"], "worker_id")
        }
      }
    })
  )

  it.effect("the credentials of a decision are found by person and type, in order, also if one has most rows", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const credentialTypes = () => ["same", "FIRST_AID"]
      for (const [tenant, person] of [
        [tenantId, workerRef("id9")],
        ["tnt_1111111111111111", workerRef("same")]
      ] as const) {
        for (const isLocked of [true, false]) {
          const refused = store.change(
            Worker,
            tenant,
            mint("worker"),
            [],
            () => Result.fail("Refused" as const),
            () => ({ person, credentialTypes, isLocked })
          )
          // The missing documents fail only after the read.
          const { ran } = yield* recording(Effect.exit(refused))
          const reads = ran.filter(({ text }) => text.includes("JOIN credential AS r"))
          assert.lengthOf(reads, 1)
          for (const plan of yield* Effect.forEach(reads, planOf)) {
            assert.deepStrictEqual(plan.filter(isScan), [], shown(plan))
            const held = plan.filter((node) => node["Index Name"] === "credential_held_by_worker_id")
            assert.lengthOf(held, 1, shown(plan))
            assert.include(held[0]?.["Index Cond"], "credential_type")
            assert.notInclude(shown(plan), "Sort")
          }
        }
      }
    })
  )
})

/** Every credential belongs to a worker, none to an applicant. */
const fillOneSided = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const insert = (type: string, columns: string, values: string, rows: number) =>
    sql.unsafe(
      `INSERT INTO ${type} (tenant_id, id, version, created_at, updated_at, document, checksum, ${columns})
       SELECT '${tenantId}', '${type}' || n, 1, n, n, '{}', 0, ${values} FROM generate_series(1, ${rows}) AS n`
    )
  const applicant = "external_id, source_system, display_name, last_name, email_address, status"
  yield* insert("worker", "external_id, source_system, display_name, last_name", "'v' || n, '', '', ''", rowsEach)
  yield* insert("applicant", applicant, "'', '', '', '', '', ''", 50)
  const credential = "worker_id, applicant_id, credential_type, jurisdiction, identifier, eligibility, expiry_date"
  yield* insert("credential", credential, "'worker' || n, '', '', '', '', '', ''", rowsEach)
  yield* sql`ANALYZE`
})

layer(Layer.provideMerge(Layer.effectDiscard(fillOneSided), postgresStore))("when all owners are of one type", (it) => {
  it.effect("the holdings of an owner are found by either column", () =>
    Effect.gen(function* () {
      const [plan = []] = yield* plansOf(Credential, selectionOf(Credential, { ownerExternalId: "v5" }))
      const ofCredentials = plan.filter((node) => node["Relation Name"] === "credential")
      assert.deepStrictEqual(ofCredentials.filter(isScan), [], shown(plan))
    })
  )
})
