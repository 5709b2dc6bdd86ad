import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, accessToken, at, credential, otherHost, Service, textAt, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as EveryRoute from "../EveryRoute.ts"
import { assertStatus, dataOf, get, root } from "../NewerSurface.ts"
import * as Row from "../Row.ts"
import { list } from "../resource/Listing.ts"

/** The collections by the entity type of their changes. */
const pathOf = new Map(
  EveryRoute.routes
    .filter(
      ({ name }) =>
        /\.list$/.test(name) &&
        !/^(auditEvents|changes|credentialTypes|scans|erasures|imports|tasks|messages|answers|documents|notes|duplicates|merges)\./.test(
          name
        )
    )
    .map((route): readonly [string, string] => [EveryRoute.entityOf(route), route.path.slice(root.length + 1)])
)

/** Times of last use change without an audit event (DECISIONS.md#changes). */
const kept = (document: unknown): string => {
  const { lastUsedAt: _, seenAt: __, ...others } = Object(document)
  return JSON.stringify(others)
}

/** Every row of every type, deleted or not. */
const everyRow = Effect.gen(function* () {
  const rows = new Map<string, string>()
  for (const [type, path] of pathOf) {
    for (let cursor: unknown; cursor !== null; ) {
      const page = { pageSize: "100", includeDeleted: "true", ...(typeof cursor === "string" ? { cursor } : {}) }
      const answer = yield* list(path, page)
      for (const document of dataOf(answer)) rows.set(`${type} ${Object(document).id}`, kept(document))
      cursor = at(answer, "meta.nextCursor")
    }
  }
  return rows
})

/** The pages of changes after a position, to the newest. */
const changesAfter = Effect.fnUntraced(function* <R>(
  after: string,
  read: (path: string) => Effect.Effect<Answer, never, R>
) {
  const changes: Array<{ readonly entityType: string; readonly entityId: string }> = []
  for (let position = after; ; ) {
    const answer = yield* read(`/changes?pageSize=100&after=${position}`)
    assertStatus(answer, 200)
    changes.push(...dataOf(answer).map(Object))
    position = textAt(answer, "meta.position")
    if (at(answer, "meta.hasMore") === false) return { changes, position }
  }
})

/** Reads the changes after a position, and then each changed row. */
const follow = Effect.fnUntraced(function* (after: string, rows: Map<string, string>) {
  const seen = yield* changesAfter(after, get)
  for (const { entityId, entityType } of seen.changes) {
    const path = pathOf.get(entityType)
    if (path === undefined) continue
    const answer = yield* get(`/${path}/${encodeURIComponent(entityId)}?includeDeleted=true`)
    if (answer.status === 200) rows.set(`${entityType} ${entityId}`, kept(at(answer, "data")))
    else rows.delete(`${entityType} ${entityId}`)
  }
  return seen
})

const newest = Effect.map(get("/changes?after=now"), (answer) => textAt(answer, "meta.position"))

layer(layerService(), { excludeTestServices: true })("changes", (it) => {
  it.effect(
    "show every row that a call or the worker changes: a copy that follows them ends with exactly the rows",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const start = yield* newest
        const rows = yield* everyRow
        for (const route of EveryRoute.routes.filter((one) => !EveryRoute.isReading(one))) {
          const of = yield* EveryRoute.subjectsFor(route)
          assertStatus(yield* call(EveryRoute.goodCall(route, of)), EveryRoute.goodStatus(route))
        }
        // The worker may still change rows. The last round reads all rows between two looks at the changes.
        let seen = yield* follow(start, rows)
        for (let expected = yield* everyRow; ; expected = yield* everyRow) {
          const next = yield* follow(seen.position, rows)
          if (next.changes.length === 0) {
            assert.deepStrictEqual(Object.fromEntries(rows), Object.fromEntries(expected))
            return
          }
          seen = next
        }
      }),
    600_000
  )

  it.effect("PRV-09, threat 45: show only types that the caller may READ, and the position passes the others", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const reading = (token: string) => (path: string) => call({ method: "GET", path: root + path, token })
      const start = yield* newest
      const id = yield* worker()
      yield* credential({ worker: id })
      const { token } = yield* tokenOf(["worker:READ", "credential:UPDATE"])
      const seen = yield* changesAfter(start, reading(token))
      assert.deepStrictEqual([...new Set(seen.changes.map(({ entityId }) => entityId))], [id])
      const nothing = yield* changesAfter(start, reading((yield* tokenOf([])).token))
      assert.deepStrictEqual(nothing.changes, [])
      assert.deepStrictEqual((yield* changesAfter(nothing.position, reading(token))).changes, [])
      yield* Row.run([{ call: "GET /changes?include=auditEvents", as: token, expect: "FORBIDDEN: READ audit events" }])
    })
  )

  it.effect("contain the audit event on request", () =>
    Effect.gen(function* () {
      const after = yield* newest
      const id = yield* worker()
      const answer = yield* get(`/changes?include=auditEvents&after=${after}`)
      const [change] = dataOf(answer).map(Object)
      const [event] = dataOf(yield* list("audit-events", { entityId: id }))
      assert.deepStrictEqual(change, {
        id: Object(event).id,
        type: "change",
        entityType: "worker",
        entityId: id,
        operation: "CREATE",
        action: "create",
        version: 1,
        changedAt: Object(event).createdAt,
        auditEvent: event
      })
      assert.deepStrictEqual(at(answer, "meta"), {
        requestId: answer.headers["x-request-id"],
        pageSize: 25,
        position: textAt(answer, "meta.position"),
        hasMore: false
      })
    })
  )

  it.effect("threat 46: positions show nothing, and one of another tenant or none at all is 410", () =>
    Effect.gen(function* () {
      const { token } = yield* accessToken(true)
      const [other] = yield* Row.run([{ call: "GET /changes?after=now", as: token, host: otherHost, expect: 200 }])
      const position = yield* newest
      assert.match(position, /^v1\.[\w-]+$/)
      assert.notStrictEqual(position, yield* newest)
      yield* worker()
      const cursor = textAt(yield* get("/workers?pageSize=1"), "meta.nextCursor")
      yield* Row.run([
        ...[textAt(other, "meta.position"), `${position}A`, cursor].map((lost) => ({
          call: `GET /changes?after=${lost}`,
          expect: "POSITION_UNKNOWN: after=now"
        })),
        ...["1", "", "v1.", "2026-01-01T00:00:00Z"].map((malformed) => ({
          call: `GET /changes?after=${malformed}`,
          expect: "INVALID_ARGUMENT: after must be now or meta.position"
        })),
        { call: "GET /changes?after=now&after=now", expect: "INVALID_ARGUMENT: after" },
        { call: `GET /workers?cursor=${position}`, expect: "INVALID_ARGUMENT: cursor" },
        { call: "GET /changes?updatedAfter=2026-01-01T00:00:00Z", expect: "INVALID_ARGUMENT: updatedAfter" }
      ])
    })
  )
})
