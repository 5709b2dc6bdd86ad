import { assert, describe, it } from "@effect/vitest"
import { Applicant, type ApplicantFields } from "@wcs/domain/Applicant"
import { Credential, type CredentialFields } from "@wcs/domain/Credential"
import type { JsonObject } from "@wcs/domain/Json"
import { type Cursor, cursorAfter, parse, type Query, type Selection } from "@wcs/domain/ListQuery"
import type { Resource, Stored } from "@wcs/domain/Resource"
import { type Page, ResourceStore } from "@wcs/domain/ResourceStore"
import { Worker, type WorkerFields } from "@wcs/domain/Worker"
import * as StoreMemory from "@wcs/store-memory/StoreMemory"
import { created, put } from "@wcs/store-suite/Fixtures"
import { Context, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { store } from "./temporary.ts"

const tenantId = "tnt_0000000000000000"
const today = "2026-01-31"
const idOf = (prefix: string, n: number) => `${prefix}_${String(n).padStart(16, "0")}`

/** Text that engines compare differently: letter case, patterns, both sides of U+FFFF, one the beginning of another. */
const texts = ["a", "A", "ab", "a%", "a_", "B", "é", "\u{ff5e}", "\u{1f600}", "\u{10ffff}", "a\u{10ffff}z"]
const textOf = (n: number): string => texts[n % texts.length] ?? ""
const optional = (n: number, every: number) => n % every !== 0

const times = (n: number) => ({
  createdAt: 1000 + (n % 4),
  updatedAt: 2000 + (n % 3),
  deletedAt: n % 7 === 3 ? 2500 : null
})

const sourceOf = (n: number) => ({
  ...(optional(n, 3) ? { externalId: textOf(n) } : {}),
  sourceSystem: textOf(n % 2)
})

const workers = Array.from({ length: 24 }, (_, n): Stored<WorkerFields> => {
  const lastName = optional(n, 4) ? { lastName: textOf(n * 5) } : {}
  return created(
    idOf("wkr", n),
    { identity: { displayName: textOf(n * 3), ...lastName }, source: sourceOf(n) },
    times(n)
  )
})

const applicants = Array.from({ length: 24 }, (_, n): Stored<ApplicantFields> => {
  const names = {
    ...(optional(n, 2) ? { displayName: textOf(n) } : {}),
    ...(optional(n, 5) ? { lastName: textOf(n * 7) } : {})
  }
  const fields = {
    ...names,
    emailAddress: `${textOf(n * 3)}@example.org`,
    status: n % 2 === 0 ? "NEW" : "HIRED"
  } as const
  return created(idOf("app", n), { ...fields, source: sourceOf(n * 5) }, times(n * 3))
})

const credentials = Array.from({ length: 36 }, (_, n): Stored<CredentialFields> => {
  const expiry = ["2026-01-30", "2026-01-31", "2026-02-01"][n % 4]
  const verdict = (["MAY_ENGAGE", "MAY_NOT_ENGAGE", "IN_PROGRESS"] as const)[n % 5]
  const attributes = {
    credentialType: n % 2 === 0 ? "WWCC_NSW" : "FIRST_AID",
    ...(n % 3 === 0 ? {} : { jurisdiction: n % 3 === 1 ? ("NSW" as const) : ("VIC" as const) }),
    ...(expiry === undefined ? {} : { expiryDate: expiry }),
    ...(verdict === undefined ? {} : { eligibility: verdict }),
    owners: { worker: n % 4 === 0 ? null : idOf("wkr", n % 24), applicant: n % 5 === 0 ? idOf("app", n % 24) : null }
  }
  return created(idOf("cred", n), { attributes }, times(n))
})

const prefixes = ["a", "A", "a%", "\u{10ffff}", "a\u{10ffff}", "z"]
const common: ReadonlyArray<Query> = [
  {},
  { includeDeleted: "true" },
  { updatedAfter: "1970-01-01T00:00:02Z" },
  { updatedBefore: "1970-01-01T00:00:02.002Z", updatedAfter: "1970-01-01T00:00:02Z" }
]
const peopleQueries: ReadonlyArray<Query> = [
  ...common,
  ...texts.map((externalId) => ({ externalId })),
  ...prefixes.map((query) => ({ query })),
  { sourceSystem: "a" },
  { sourceSystem: "a", query: "a" },
  { externalId: "ab", sourceSystem: "A", includeDeleted: "true" }
]
const applicantQueries: ReadonlyArray<Query> = [
  ...peopleQueries,
  { status: "NEW" },
  { status: "HIRED", query: "a", sourceSystem: "a" },
  { emailAddress: "AB@example.org" }
]
const eligibilities = ["MAY_ENGAGE", "MAY_NOT_ENGAGE", "IN_PROGRESS", "ERROR"]
const credentialQueries: ReadonlyArray<Query> = [
  ...common,
  ...texts.map((ownerExternalId) => ({ ownerExternalId })),
  ...eligibilities.map((eligibility) => ({ eligibility })),
  ...eligibilities.map((eligibility) => ({ eligibility, credentialType: "WWCC_NSW" })),
  ...["2026-01-31", "2026-02-01", "9999-12-31"].map((expiringBefore) => ({ expiringBefore })),
  { ownerType: "worker", ownerId: idOf("wkr", 5) },
  { ownerType: "applicant", ownerId: idOf("app", 5), includeDeleted: "true" },
  { jurisdiction: "NSW", expiringBefore: "2026-02-01" },
  { ownerExternalId: "ab", eligibility: "MAY_NOT_ENGAGE", jurisdiction: "VIC" }
]

/** The same rows in both stores. */
const filled = Effect.gen(function* () {
  const model = yield* Layer.build(StoreMemory.layer)
  const tested = yield* Layer.build(store)
  const fill = Effect.gen(function* () {
    for (const row of workers) yield* put(Worker, tenantId, row)
    for (const row of applicants) yield* put(Applicant, tenantId, row)
    for (const row of credentials) yield* put(Credential, tenantId, row)
  })
  yield* Effect.provide(fill, model)
  yield* Context.get(tested, SqlClient.SqlClient).withTransaction(Effect.provide(fill, tested))
  return { model: Context.get(model, ResourceStore), tested: Context.get(tested, ResourceStore) }
})

/** Walks a list to its end in both stores, and compares each page. */
const compare = Effect.fnUntraced(function* <Fields extends JsonObject>(
  stores: { readonly model: ResourceStore["Service"]; readonly tested: ResourceStore["Service"] },
  resource: Resource<Fields>,
  selection: Selection,
  text: string
) {
  let after: Cursor | undefined
  let met = 0
  for (;;) {
    const page: Page<Fields> = yield* stores.tested.list(resource, tenantId, { ...selection, after })
    assert.deepStrictEqual(page, yield* stores.model.list(resource, tenantId, { ...selection, after }), text)
    met += page.items.length
    const last = page.items.at(-1)
    if (!page.hasMore || last === undefined) return met
    after = cursorAfter(resource, selection.sort, last)
  }
})

/** Every query in every order, in pages of several sizes. */
const compareAll = Effect.fnUntraced(function* <Fields extends JsonObject>(
  resource: Resource<Fields>,
  queries: ReadonlyArray<Query>
) {
  const stores = yield* filled
  let met = 0
  for (const query of queries) {
    for (const field of ["createdAt", "updatedAt", "id", ...Object.keys(resource.sorts)]) {
      for (const [direction, pageSize] of [
        ["asc", "5"],
        ["desc", "3"],
        ["asc", "100"]
      ] as const) {
        const all = { ...query, sort: `${field}:${direction}`, pageSize, includeTotal: "true" }
        met += yield* compare(stores, resource, Result.getOrThrow(parse(resource, all, today)), JSON.stringify(all))
      }
    }
    const paged = Result.getOrThrow(parse(resource, { ...query, page: "2", pageSize: "4" }, today))
    assert.deepStrictEqual(
      yield* stores.tested.list(resource, tenantId, paged),
      yield* stores.model.list(resource, tenantId, paged)
    )
  }
  return met
})

describe("lists are the model's, row by row", () => {
  it.effect("WRK-05, WRK-06, WRK-07, WRK-09, WRK-16: of workers", () =>
    Effect.map(compareAll(Worker, peopleQueries), (met) => assert.isAbove(met, 1000))
  )
  it.effect("of applicants", () =>
    Effect.map(compareAll(Applicant, applicantQueries), (met) => assert.isAbove(met, 1000))
  )
  it.effect("CRD-06, CRD-07: of credentials", () =>
    Effect.map(compareAll(Credential, credentialQueries), (met) => assert.isAbove(met, 1000))
  )
})
