import { assert, layer } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Worker } from "@wcs/domain/people/Worker"
import { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import * as World from "@wcs/store-suite/compliance/ComplianceWorld"
import { freshTenant, mint, select, subscribe } from "@wcs/store-suite/Fixtures"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { engines, postgresStore } from "../engines.ts"
import * as PostgresPlans from "../postgres/postgresPlans.ts"
import { planOf, recording, tableScansOf } from "../recording.ts"
import { store } from "../temporary.ts"

/** A tenant with cards of 50 workers, in 10 checks. */
const prepared = Effect.gen(function* () {
  const tenant = freshTenant()
  for (let n = 0; n < 10; n++) yield* World.putCheck(tenant, `check-${n}`)
  for (let n = 0; n < 50; n++) {
    const worker = yield* World.putWorker(tenant)
    if (n % 2 === 0) yield* World.putCard(tenant, World.card(worker, "WWCC_NSW", 3))
  }
  return tenant
})

for (const [engine, on] of engines) {
  layer(on, { excludeTestServices: true })(`kept compliance on ${engine}`, (it) => {
    it.effect("a matrix of 50 workers by 10 checks reads all results in one statement", () =>
      Effect.gen(function* () {
        const tenant = yield* prepared
        const matrix = recording(World.matrix(tenant, 0, 50))
        const before = yield* matrix
        yield* World.keepAll(tenant, 0)
        const after = yield* matrix
        const ofResults = after.ran.filter(({ text }) => /\b(?:compliance|credential|exemption|ban)\b/.test(text))
        assert.lengthOf(ofResults, 1)
        assert.lengthOf(after.ran, 3) // the checks, the page of workers, the results
        assert.lengthOf(Object.keys(after.answer), 50)
        assert.deepStrictEqual(after.answer, before.answer)
        assert.isAbove((yield* recording(World.matrix(tenant, 4, 50))).ran.length, 3) // each card has lapsed
      })
    )

    it.effect(
      "threat 64: a worker with more marks than one read returns delays the next one, whose reason stays right",
      () =>
        Effect.gen(function* () {
          const tenant = freshTenant()
          yield* subscribe(tenant, mint("webhook"), ["worker.complianceChanged"])
          yield* World.putCheck(tenant, "base")
          const [first, second] = [yield* World.putWorker(tenant), yield* World.putWorker(tenant)].toSorted()
          for (const worker of [first, second]) yield* World.putCard(tenant, World.card(worker ?? "", "WWCC_NSW"))
          yield* World.keepAll(tenant, 0)
          const sql = yield* SqlClient.SqlClient
          yield* sql`INSERT INTO compliance_mark (tenant_id, worker_id, cause)
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
          SELECT ${tenant}, ${first}, 'CREDENTIAL' FROM n`
          yield* World.putBan(tenant, second ?? "")
          assert.deepStrictEqual(yield* World.keepNext(tenant, 0), { isMore: true, events: 0 })
          assert.deepStrictEqual(yield* World.keepNext(tenant, 0), { isMore: false, events: 1 })
          const events = yield* (yield* EventStore).events(tenant, 0, 10)
          assert.deepStrictEqual(
            events.map(({ data }) => (data as { readonly reason: string }).reason),
            ["BAN"]
          )
          assert.deepStrictEqual(yield* (yield* KeptComplianceStore).uncertain(tenant, World.dayOn(0), 1), [])
        })
    )
  })
}

layer(store, { excludeTestServices: true })("plans of kept compliance", (it) => {
  it.effect("every statement finds its rows by an index that begins with the tenant", () =>
    Effect.gen(function* () {
      const tenant = yield* prepared
      const kept = yield* KeptComplianceStore
      const { ran } = yield* recording(
        Effect.gen(function* () {
          yield* kept.tenants(null, 10)
          yield* World.keepAll(tenant, 0)
          yield* World.filtered(tenant, 0, 20)
          yield* World.putBan(tenant, yield* World.putWorker(tenant))
          yield* World.filtered(tenant, 0, 20)
        })
      )
      const own = ran.filter(({ text }) => /\bcompliance(?:_mark)?\b/.test(text))
      assert.isAbove(own.length, 8)
      const ofUncertain = yield* planOf(own.find(({ text }) => text.includes("AS lapsed")) ?? assert.fail())
      const ranges = ["through<?", "rules_version<?", "rules_version=? AND generation<?"]
      for (const range of ranges) assert.include(ofUncertain.join("\n"), `(tenant_id=? AND ${range})`)
      for (const statement of own) {
        const plan = yield* planOf(statement)
        assert.deepStrictEqual(
          tableScansOf(plan).filter((line) => !/ (?:f|n|marked|lapsed|outdated|found)$/.test(line)),
          [],
          `${statement.text}\n${plan.join("\n")}`
        )
      }
    })
  )
})

/** Two tenants of 5,000 workers each with few that fail, and statistics. */
const filled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [tenant, other] = [freshTenant(), freshTenant()]
  const series = sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)`
  for (const id of [tenant, other]) {
    yield* sql`INSERT INTO worker (tenant_id, id, version, created_at, updated_at, document, checksum,
        external_id, source_system, display_name, last_name, words, compliance)
      ${series} SELECT ${id}, 'id' || i, 1, i, i, '{}', 0, 'v' || i, '', 'v' || i, 'v' || i, '',
        CASE WHEN i % 500 = 0 THEN 'FAIL' ELSE 'PASS' END FROM n`
    yield* sql`INSERT INTO compliance (tenant_id, worker_id, version, rules_version, generation, through, document)
      ${series} SELECT ${id}, 'id' || i, 1, 1, 0, '9999-12-31', '{}' FROM n`
  }
  yield* sql`ANALYZE`
  return tenant
})

layer(postgresStore, { excludeTestServices: true })("plans of kept compliance on Postgres", (it) => {
  it.effect("the filter, what is uncertain and each read find their rows by an index", () =>
    Effect.gen(function* () {
      const tenant = yield* filled
      const kept = yield* KeptComplianceStore
      const lists = yield* ResourceStore
      const complying = (result: "PASS" | "FAIL", column: string) => {
        // Counting most rows may read all of them.
        const sort = { column, direction: "asc" } as const
        const selection = select({ sort, pageSize: 25, includeTotal: result === "FAIL" })
        // The missing documents fail only after the read.
        return Effect.exit(
          lists.list(Worker, tenant, { ...selection, complying: { _tag: "Kept", result, except: ["id500"] } })
        )
      }
      const sorts = ["id", "created_at", "display_name"]
      const { ran } = yield* recording(
        Effect.gen(function* () {
          for (const result of ["PASS", "FAIL"] as const) {
            for (const sort of sorts) yield* complying(result, sort)
          }
          yield* kept.uncertain(tenant, World.dayOn(0), 101)
          yield* kept.read(tenant, ["id1", "id2"])
          yield* kept.tenants(null, 10)
        })
      )
      assert.lengthOf(ran, sorts.length * (1 + 2) + 3)
      for (const statement of ran) {
        const plan = yield* PostgresPlans.planOf(statement)
        // A tenant has few checks.
        const large = ["worker", "compliance", "compliance_mark"]
        const scans = plan.filter((step) => PostgresPlans.isScan(step) && large.includes(step["Relation Name"] ?? ""))
        assert.deepStrictEqual(scans, [], `${statement.text}\n${PostgresPlans.shown(plan)}`)
      }
    })
  )
})
