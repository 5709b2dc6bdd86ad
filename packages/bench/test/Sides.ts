import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Engine } from "@wcs/bench/Bench"
import { databaseOf } from "@wcs/bench/data/DatabaseUrl"
import { copyDataset, type Dataset, makeDataset, storeFile } from "@wcs/bench/data/Dataset"
import * as Ours from "@wcs/bench/Ours"
import { connected } from "@wcs/bench/Postgres"
import * as FastifyPeer from "@wcs/bench/peers/FastifyPeer"
import * as Floor from "@wcs/bench/peers/Floor"
import * as NestPeer from "@wcs/bench/peers/nestjs/NestPeer"
import { type Limits, raisedLimits, type Side } from "@wcs/bench/Side"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Context, Effect, Layer, Redacted } from "effect"

/** Each side with its own store, a copy of a common one. */
export interface Running extends Side {
  readonly name: keyof typeof starts
  readonly directory: string
}

/** All sides over the same data. */
export class Sides extends Context.Service<
  Sides,
  { readonly dataset: Dataset; readonly all: ReadonlyArray<Running> }
>()("@wcs/bench/test/Sides") {}

const starts = {
  ours: Ours.start,
  floor: Floor.start,
  Fastify: FastifyPeer.start,
  NestJS: NestPeer.start
}

/** The floor is measured on SQLite only, and the peers with an ORM on Postgres only. */
const names = {
  SQLite: ["ours", "floor", "Fastify"],
  Postgres: ["ours", "Fastify", "NestJS"]
} as const

/** Rows of a statement over the store of a data directory. */
const query = Effect.fnUntraced(function* (directory: string, statement: string) {
  const url = databaseOf(directory)
  if (url !== null) return (yield* Effect.promise(() => connected(url, (client) => client.query(statement)))).rows
  using database = new DatabaseSync(storeFile(directory))
  return database.prepare(statement).all()
})

/** Subscribes to changes: from then on each leaves an event. */
const subscribe = ({ directory, tenantId }: Dataset) =>
  query(directory, `INSERT INTO subscription VALUES ('${tenantId}', 'credential.updated', 'whk_1')`)

/** A database for the scope, copied from another if there is one. */
const databaseLike = Effect.fnUntraced(function* (other: string | null) {
  const url = Redacted.value(yield* freshDatabase)
  if (other === null) return url
  const [name, template] = [url, other].map((each) => new URL(each).pathname.slice(1))
  const above = new URL(url)
  above.pathname = "/postgres"
  yield* Effect.promise(() =>
    connected(above.href, async (client) => {
      await client.query(`DROP DATABASE ${name}`)
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`)
    })
  )
  return url
})

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-bench-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The data that the sides start with. */
interface Given {
  readonly engine?: Engine
  readonly limits?: Limits
  readonly isSubscribed?: boolean
}

/** Starts every side in this process. */
export const layerSides = ({
  engine = "SQLite",
  isSubscribed = false,
  limits = raisedLimits
}: Given = {}): Layer.Layer<Sides> =>
  Layer.effect(
    Sides,
    Effect.gen(function* () {
      const folder = yield* directory
      const size = { workers: 10, credentials: 40 }
      const made = engine === "Postgres" ? yield* databaseLike(null) : null
      const dataset = yield* Effect.promise(() => makeDataset(join(folder, "made"), size, made))
      if (isSubscribed) yield* subscribe(dataset)
      const all: Array<Running> = []
      for (const name of names[engine]) {
        const database = made === null ? null : yield* databaseLike(made)
        const own = copyDataset(dataset, join(folder, name), database).directory
        const side = yield* Effect.acquireRelease(
          Effect.promise(() => starts[name]({ directory: own, limits })),
          ({ close }) => Effect.promise(close)
        )
        all.push({ ...side, name, directory: own })
      }
      return Sides.of({ dataset, all })
    })
  )

export interface Call {
  readonly method?: string
  readonly path: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A response, with varying values replaced by their names. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** Replaces request ids and times by their names if they are well-formed. */
const normalized = (status: number, headers: Record<string, string>, text: string): Answer => {
  const { date: _, connection: _c, "keep-alive": _k, ...rest } = headers
  const requestId = rest["x-request-id"] ?? ""
  if (ulid.test(requestId)) rest["x-request-id"] = "<ULID>"
  // A parameter that JSON does not define (RFC 8259, section 11) changes nothing.
  rest["content-type"] = (rest["content-type"] ?? "").replace(/; charset=utf-8$/, "")
  for (const name of ["x-ratelimit-reset", "retry-after"]) {
    if (/^([1-9]|[1-5]\d|60)$/.test(rest[name] ?? "")) rest[name] = "<seconds>"
  }
  // The tag of a fresh change has its time. Those of the test data are before 2025-01-02.
  if (rest["etag"] !== undefined) {
    rest["etag"] = rest["etag"].replace(/-([0-9a-z]+)(?=["-])/, (stamp, millis: string) =>
      Number.parseInt(millis, 36) < Date.UTC(2025, 0, 2) ? stamp : "-<now>"
    )
  }
  const body = text
    .replaceAll(requestId, "<ULID>")
    .replace(/Try again in \d+ seconds/, "Try again in <seconds> seconds")
    .replace(/"updatedAt":"20(?!25-01-01)[^"]+Z"/, '"updatedAt":"<now>"')
  return { status, headers: rest, body }
}

const send = (port: number, { body, headers = {}, method = "GET", path, token }: Call): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = {
      host: "localhost",
      "x-forwarded-proto": "https",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    }
    request({ port, host: "127.0.0.1", method, path, headers: sent, agent: false })
      .once("error", reject)
      .once("response", (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          text += chunk
        })
        response.once("end", () => {
          const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
          resolve(normalized(response.statusCode ?? 0, Object.fromEntries(received), text))
        })
      })
      .end(body)
  })

/** The same call to each of the sides, in turn. */
export const askAll = Effect.fnUntraced(function* (call: Call, except: ReadonlyArray<Running["name"]> = []) {
  const { all } = yield* Sides
  const asked = all.filter(({ name }) => !except.includes(name))
  return yield* Effect.forEach(asked, ({ name, port }) =>
    Effect.map(
      Effect.promise(() => send(port, call)),
      (answer) => ({ name, answer })
    )
  )
})

/** The rows of a statement over a side's store. */
export const rowsOf = ({ directory }: Running, statement: string) => query(directory, statement)
