import { readFileSync } from "node:fs"
import { request } from "node:https"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { assert, describe, it } from "@effect/vitest"
import type { ImportDocument } from "@wcs/domain/import/Import"
import { figuresOf } from "@wcs/end-to-end/faults/Figures"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Clock, Effect, Redacted } from "effect"
import { dataOf } from "../Calls.ts"
import { onDatabase, onOneMachine, sharing, until } from "../Machines.ts"
import { bearer, type Environment, type Server, serving, temporaryDirectory, working } from "../Process.ts"
import { residentMegabytes } from "./Memory.ts"
import { isFull } from "./Rounds.ts"
import { raisedLimits } from "./Scene.ts"
import { storeFile } from "./Stored.ts"

/** The rows of the file. In full, the largest file that is allowed: 100,000 rows of about 640 bytes. */
const rows = Number(process.env["WCS_IMPORT_ROWS"] ?? (isFull ? 100_000 : 600))
const note = "x".repeat(590)

/** Everything that was written, as the store has it. */
const stored = `SELECT (SELECT count(*) FROM worker) AS workers,
  (SELECT count(DISTINCT external_id) FROM worker WHERE version = 1) AS people,
  (SELECT count(*) FROM audit_event WHERE entity_type = 'worker' AND action = 'create') AS entries`

/** Processes on a store, and a reader of it. */
const places = {
  SQLite: Effect.gen(function* () {
    const directory = join(yield* temporaryDirectory, "data")
    const start = (environment: Environment) =>
      Effect.map(serving({ WCS_DATA: directory, ...environment }), (server) => ({ server, worker: server }))
    const read = Effect.sync(() => {
      const database = new DatabaseSync(storeFile(directory), { readOnly: true })
      const row = database.prepare(stored).get()
      database.close()
      return row
    })
    return { start, read }
  }),
  Postgres: Effect.gen(function* () {
    const url = yield* freshDatabase
    const shared = yield* sharing(Redacted.value(url))
    let server: Server | undefined
    const start = Effect.fnUntraced(function* (environment: Environment) {
      server ??= yield* onOneMachine(serving, { ...shared, ...environment })
      return { server, worker: yield* onOneMachine(working, shared) }
    })
    return { start, read: Effect.map(onDatabase(url, stored), ([found = []]) => found[0]) }
  })
}

function* lines() {
  yield "Staff ID,First name,Last name,Date of birth,Email,Note\n"
  for (let from = 0; from < rows; from += 100) {
    yield Array.from({ length: Math.min(100, rows - from) }, (_, index) => {
      const n = from + index + 1
      return `E${n},Ann${n},Lee${n},31/12/1990,ann${n}@example.org,${note}\n`
    }).join("")
  }
}

/** Uploads the file as a client that waits for the server. */
const upload = (server: Server, token: string) =>
  Effect.promise(async () => {
    const sent = request(`https://localhost:${server.port}/openapi/v1/imports?name=staff.csv`, {
      ...{ method: "POST", agent: false, ca: readFileSync(server.certificateFile) },
      headers: { ...bearer(token), "content-type": "text/csv" }
    })
    const answered = new Promise<string>((resolve, reject) => {
      sent.once("error", reject).once("response", async (response) => {
        let text = ""
        for await (const piece of response) text += piece
        response.statusCode === 201 ? resolve(text) : reject(new Error(text))
      })
    })
    await pipeline(Readable.from(lines()), sent)
    return JSON.parse(await answered).data as ImportDocument
  })

const secondsOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis
    const result = yield* work
    return [result, ((yield* Clock.currentTimeMillis) - begun) / 1000] as const
  })

/** The greatest memory of a process in each half of its work. */
const makeMemory = () => {
  const greatest = [0, 0]
  return {
    sample: (pid: number | undefined, share: number) => {
      const half = share < 0.5 ? 0 : 1
      greatest[half] = Math.max(greatest[half] ?? 0, residentMegabytes(pid))
    },
    halves: greatest,
    shown: () => `${greatest.join(" and ")} MB`
  }
}

describe("kill -9 of the process that does the work of an import", () => {
  for (const engine of isFull ? (["SQLite", "Postgres"] as const) : (["SQLite"] as const)) {
    it.live(
      `${engine}: carries out each of ${rows} rows exactly once, and undoes them`,
      (context) =>
        Effect.gen(function* () {
          const figures = figuresOf(context, `kill -9 in the middle of an import of ${rows} rows, ${engine}`)
          const { read, start } = yield* places[engine]
          const tokenFile = join(yield* temporaryDirectory, "token")
          const first = { WCS_ADMIN_EMAIL: "root@example.com", WCS_ADMIN_TOKEN_FILE: tokenFile, ...raisedLimits }
          const doomed = yield* start(first)
          const token = readFileSync(tokenFile, "utf8").trim()

          const uploading = makeMemory()
          const [{ id }, uploadSeconds] = yield* secondsOf(
            Effect.raceFirst(
              upload(doomed.server, token),
              Effect.forever(
                Effect.andThen(
                  Effect.sync(() => uploading.sample(doomed.server.pid, 0)),
                  Effect.sleep("50 millis")
                )
              )
            )
          )
          const path = `/imports/${id}`
          const memory = makeMemory()
          /** Follows the work until it has seen this share of the rows, or ends. */
          const follow = ({ server, worker }: typeof doomed, share = Number.POSITIVE_INFINITY) =>
            until(
              Effect.tap(dataOf(server, token, path), ({ done, status }: ImportDocument) =>
                Effect.sync(() => {
                  if (status === "RUNNING") memory.sample(worker.pid, done / rows)
                })
              ),
              ({ done, status }) => !/ING$/.test(status) || done >= share * rows
            )

          yield* dataOf(doomed.server, token, `${path}/check`, {})
          const [checked, checkSeconds] = yield* secondsOf(follow(doomed))
          assert.deepInclude(checked, { status: "CHECKED", done: rows })
          assert.strictEqual(checked.counts.CREATE, rows)

          yield* dataOf(doomed.server, token, `${path}/run`, {})
          const [, firstSeconds] = yield* secondsOf(follow(doomed, 0.4))
          doomed.worker.signal("SIGKILL")
          yield* doomed.worker.ended
          const next = yield* start(raisedLimits)
          const [done, restSeconds] = yield* secondsOf(follow(next))
          assert.deepInclude(done, { status: "DONE", done: rows, problem: null })
          assert.deepInclude(done.counts, { CREATED: rows, FAULTY: 0, DUPLICATE: 0 })
          const found = Object.entries((yield* read) ?? {}).map(([name, count]) => [name, Number(count)])
          assert.deepStrictEqual(Object.fromEntries(found), { workers: rows, people: rows, entries: rows })

          yield* dataOf(next.server, token, `${path}/undo`, {})
          const [undone, undoSeconds] = yield* secondsOf(follow(next))
          assert.deepInclude(undone, { status: "UNDONE", problem: null })
          assert.strictEqual(undone.counts.UNDONE, rows)

          const rate = (seconds: number) => `${Math.round(rows / seconds)} rows/s`
          figures.requests = rows
          figures.faults = 1
          figures.survived = 1
          figures.notes = [
            `upload ${uploadSeconds.toFixed(1)} s, at most ${uploading.halves[0]} MB`,
            `check ${rate(checkSeconds)}, run ${rate(firstSeconds + restSeconds)}, undo ${rate(undoSeconds)}`,
            `memory in the halves of the run ${memory.shown()}`
          ].join("; ")
          const [early = 0, late = 0] = memory.halves
          if (isFull) assert.isAtMost(late, early * 1.2, figures.notes)
        }),
      120_000 + rows * 20
    )
  }
})
