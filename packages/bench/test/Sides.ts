import { mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { copyDataset, type Dataset, makeDataset, storeFile } from "@wcs/bench/Dataset"
import * as Ours from "@wcs/bench/Ours"
import * as FastifyPeer from "@wcs/bench/peers/FastifyPeer"
import * as Floor from "@wcs/bench/peers/Floor"
import { type Limits, raisedLimits, type Side } from "@wcs/bench/Side"
import { Context, Effect, Layer } from "effect"

/** Each side with a store of its own, which began as a copy of one. */
export interface Running extends Side {
  readonly name: "ours" | "floor" | "Fastify"
  readonly directory: string
}

/** All sides over the same data. */
export class Sides extends Context.Service<
  Sides,
  { readonly dataset: Dataset; readonly all: ReadonlyArray<Running> }
>()("@wcs/bench/test/Sides") {}

const starts = { ours: Ours.start, floor: Floor.start, Fastify: FastifyPeer.start }
const names = ["ours", "floor", "Fastify"] as const

/** Somebody who wants to hear of changes: from then on each leaves an event. */
const subscribe = ({ directory, tenantId }: Dataset): void => {
  using database = new DatabaseSync(storeFile(directory))
  database.prepare("INSERT INTO subscription VALUES (?, 'credential.updated', 'whk_1')").run(tenantId)
}

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-bench-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Starts every side in this process. */
export const layerSides = (limits: Limits = raisedLimits, isSubscribed = false): Layer.Layer<Sides> =>
  Layer.effect(
    Sides,
    Effect.gen(function* () {
      const folder = yield* directory
      const dataset = yield* Effect.promise(() => makeDataset(join(folder, "made"), { workers: 10, credentials: 40 }))
      if (isSubscribed) subscribe(dataset)
      const all: Array<Running> = []
      for (const name of names) {
        const own = copyDataset(dataset, join(folder, name)).directory
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

/** What came back, with what differs from call to call named and not shown. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** Ids of the request and times are replaced by their names, where they have the form that they must have. */
const normalized = (status: number, headers: Record<string, string>, text: string): Answer => {
  const { date: _, connection: _c, "keep-alive": _k, ...rest } = headers
  const requestId = rest["x-request-id"] ?? ""
  if (ulid.test(requestId)) rest["x-request-id"] = "<ULID>"
  // A parameter that JSON does not have (RFC 8259, section 11) changes nothing.
  rest["content-type"] = (rest["content-type"] ?? "").replace(/; charset=utf-8$/, "")
  for (const name of ["x-ratelimit-reset", "retry-after"]) {
    if (/^([1-9]|[1-5]\d|60)$/.test(rest[name] ?? "")) rest[name] = "<seconds>"
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
export const rowsOf = ({ directory }: Running, statement: string): ReadonlyArray<unknown> => {
  using database = new DatabaseSync(storeFile(directory), { readOnly: true })
  return database.prepare(statement).all()
}
