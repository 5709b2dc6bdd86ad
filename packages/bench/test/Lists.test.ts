import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { makeEmpty } from "@wcs/bench/data/Dataset"
import { fillLists, rowsOfFew } from "@wcs/bench/data/ListData"
import {
  filterQuestions,
  pageSize,
  scatteredRows,
  sortQuestions,
  type Tables
} from "@wcs/bench/measurements/ListQuestions"
import * as Ours from "@wcs/bench/Ours"
import { raisedLimits } from "@wcs/bench/Side"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import { Context, Effect, Layer } from "effect"

const rows = 1000

interface Answer {
  readonly data: ReadonlyArray<{ readonly id: string }>
  readonly meta: { readonly nextCursor: string | null; readonly total?: number }
}

/** A server over this many rows of each resource. */
class Filled extends Context.Service<
  Filled,
  { readonly tables: Tables; readonly get: (path: string) => Effect.Effect<Answer> }
>()("@wcs/bench/test/Filled") {}

const filled = Layer.effect(
  Filled,
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-bench-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const directory = join(folder, "data")
    const { tenantId, token } = yield* Effect.promise(() => makeEmpty(directory))
    fillLists(directory, tenantId, rows)
    const tables = scatteredRows(directory, tenantId, rows)
    const { port } = yield* Effect.acquireRelease(
      Effect.promise(() => Ours.start({ directory, limits: raisedLimits })),
      ({ close }) => Effect.promise(close)
    )
    const headers = { authorization: `Bearer ${token.secret}`, "x-forwarded-proto": "https" }
    const get = (path: string) =>
      Effect.promise(async () => {
        const response = await fetch(`http://127.0.0.1:${port}/openapi/v1/${path}`, { headers })
        const body = await response.text()
        assert.strictEqual(response.status, 200, `${path}: ${body}`)
        return JSON.parse(body) as Answer
      })
    return Filled.of({ tables, get })
  })
)

layer(filled, { excludeTestServices: true })("the queries that measure lists", (it) => {
  for (const resource of definitions) {
    it.effect(`each order of ${resource.collection} has full pages, also from a cursor`, () =>
      Effect.gen(function* () {
        const { get, tables } = yield* Filled
        for (const { queries, what } of sortQuestions(resource, tables)) {
          for (const query of queries.slice(0, 5)) {
            const { data } = yield* get(`${resource.collection}?${query}`)
            assert.lengthOf(data, pageSize, what)
          }
        }
      })
    )

    it.effect(`each filter of ${resource.collection} finds one row, or more than two pages`, () =>
      Effect.gen(function* () {
        const { get, tables } = yield* Filled
        for (const { queries, what } of filterQuestions(resource, tables)) {
          for (const query of queries.slice(0, 5)) {
            const { data, meta } = yield* get(`${resource.collection}?${query}&includeTotal=true`)
            const total = meta.total ?? 0
            assert.isTrue(total === 1 || total > 2 * pageSize, `${what}: ${total} rows`)
            const isRange = /query=|expiringBefore=/.test(what)
            if (isRange) assert.strictEqual(total, rowsOfFew, what)
            if (total > 1) assert.lengthOf(data, pageSize, what)
          }
        }
      })
    )
  }
})
