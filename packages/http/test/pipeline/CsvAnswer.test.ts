import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@wcs/domain/access/Caller"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import * as CsvAnswer from "@wcs/http/pipeline/CsvAnswer"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { callOf } from "../Requests.ts"

const columns = ["name", "count", "isPaid"] as const
interface Row {
  readonly name: string | null
  readonly count: number | null
  readonly isPaid: boolean | null
}
const rowOf = (name: string | null): Row => ({ name, count: -1, isPaid: null })

const textOf = (rows: ReadonlyArray<Row>) =>
  Effect.map(Stream.runCollect(CsvAnswer.bytesOf(columns, Stream.fromIterable(rows))), (pieces) =>
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(pieces))
  )

describe("a CSV file", () => {
  it.effect("is RFC 4180 in UTF-8 with a byte-order mark, also without rows", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* textOf([]), "\uFEFFname,count,isPaid\r\n")
      assert.strictEqual(
        yield* textOf([rowOf('Ann "Ä", Example\nB'), rowOf(null), { name: "", count: 0, isPaid: true }]),
        '\uFEFFname,count,isPaid\r\n"Ann ""Ä"", Example\nB",-1,\r\n,-1,\r\n,0,true\r\n'
      )
    })
  )

  it.effect.each(["=1+1", "+1", "-1", "@a", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠a"])(
    "threat 53: keeps a spreadsheet from running %j",
    (text) =>
      Effect.gen(function* () {
        const written = yield* textOf([rowOf(text)])
        assert.match(written, /^\uFEFFname,count,isPaid\r\n"?'/)
        assert.include(written, `'${text}`)
      })
  )

  it.effect("changes no other text", () =>
    Effect.gen(function* () {
      assert.include(yield* textOf([rowOf("a=1-1@")]), "\r\na=1-1@,")
    })
  )
})

describe("the wish for CSV", () => {
  it.each([
    ["text/csv", true],
    ["TEXT/CSV; charset=utf-8", true],
    ["text/csv, */*;q=0.1", true],
    ["application/json;q=0.5, text/csv;q=0.8", true],
    ["text/csv, application/json", false],
    ["text/csv;q=0.5, application/json", false],
    ["text/csv;q=0", false],
    ["text/csv;q=x", false],
    ["text/*", false],
    ["*/*", false],
    ["text/csvx", false],
    ["", false]
  ])("Accept: %s is %s", (accept, expected) => {
    assert.strictEqual(CsvAnswer.isWanted(callOf({ body: "", headers: { accept } })), expected)
  })
})

const callerOf = (tenantId: string): Caller["Service"] => ({
  tenantId,
  timeZone: "Pacific/Kiritimati",
  account: "urn:wcs:account:acc_0000000000000000",
  privileges: privilegesOf("Viewer"),
  bearer: { kind: "personal", id: "pat_0000000000000000" },
  rateLimitKey: "test",
  rateLimit: null,
  workerId: null
})

/** Answers rows as a file, and returns the response and its body. */
const answering = (
  csvOf: ReturnType<typeof CsvAnswer.make>,
  rows: Stream.Stream<Row> = Stream.empty,
  tenantId = "tnt_0000000000000001"
) =>
  csvOf(callOf({ body: "" }), "people", columns, Effect.succeed(rows)).pipe(
    Effect.provideService(Caller, callerOf(tenantId)),
    Effect.map((response) => ({
      response,
      body: response.body._tag === "Stream" ? Stream.runDrain(response.body.stream) : Effect.die("no stream")
    }))
  )

describe("the answer", () => {
  it.effect("names the file by the day in the tenant's time zone", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 31, 11))
      const { response } = yield* answering(CsvAnswer.make())
      const { headers } = HttpServerResponse.toWeb(response)
      assert.strictEqual(headers.get("content-type"), "text/csv; charset=utf-8")
      assert.strictEqual(headers.get("content-disposition"), 'attachment; filename="people-2026-02-01.csv"')
    })
  )

  it.effect("threat 43: has places: two for each tenant and eight in all, taken only while a body is read", () =>
    Effect.gen(function* () {
      const csvOf = CsvAnswer.make()
      const done = yield* Deferred.make<void>()
      const waiting = Stream.fromEffect(Effect.as(Deferred.await(done), rowOf("Ann")))
      const isRefused = (tenantId: string) =>
        Effect.map(Effect.exit(answering(csvOf, Stream.empty, tenantId)), (exit) => exit._tag === "Failure")
      const begin = (tenantId: string) =>
        Effect.flatMap(answering(csvOf, waiting, tenantId), ({ body }) =>
          Effect.forkChild(body, { startImmediately: true })
        )
      for (let unread = 0; unread < 9; unread++) yield* answering(csvOf, waiting)
      const [first] = yield* Effect.all([begin("one"), begin("one")])
      assert.isTrue(yield* isRefused("one"))
      for (const tenant of ["two", "three", "four"]) {
        assert.isFalse(yield* isRefused(tenant))
        yield* Effect.all([begin(tenant), begin(tenant)])
      }
      assert.isTrue(yield* isRefused("five"))
      yield* Fiber.interrupt(first)
      assert.isFalse(yield* isRefused("one"))
      assert.isFalse(yield* isRefused("five"))
      yield* Deferred.succeed(done, undefined)
    })
  )

  it.effect("threat 58: ends, incomplete, after five minutes", () =>
    Effect.gen(function* () {
      const rows = Stream.range(1, 1000).pipe(
        Stream.rechunk(1),
        Stream.map(() => rowOf("Ann"))
      )
      const slowly = (seconds: number) => Stream.tap(rows, () => TestClock.adjust(seconds * 1000))
      const { body: inTime } = yield* answering(CsvAnswer.make(), slowly(0.29))
      yield* inTime
      const { body: late } = yield* answering(CsvAnswer.make(), slowly(0.35))
      assert.include(String(yield* Effect.exit(late)), "took too long")
    })
  )
})
