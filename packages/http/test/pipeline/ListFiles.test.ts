import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@wcs/domain/access/Caller"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { Unauthenticated } from "@wcs/domain/access/Unauthenticated"
import { Authentication } from "@wcs/domain/authentication/Authentication"
import type { Query } from "@wcs/domain/resource/ListQuery"
import { WhoAmI, type WhoAmIDocument } from "@wcs/domain/user/WhoAmI"
import { csvFile, csvFileWithHeading } from "@wcs/http/pipeline/CsvFile"
import type { FileForm } from "@wcs/http/pipeline/FileForm"
import { htmlFile } from "@wcs/http/pipeline/HtmlFile"
import * as ListFiles from "@wcs/http/pipeline/ListFiles"
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
const table = { columnsOf: () => columns, rowOf: ({ count, isPaid, name }: Row) => ({ name, count, isPaid }) }
const rowOf = (name: string | null): Row => ({ name, count: -1, isPaid: null })

const heading = {
  name: "audit-log",
  organization: "Kinder & Co",
  madeBy: "ann@example.org",
  madeAt: Date.UTC(2026, 0, 31, 11),
  timeZone: "Pacific/Kiritimati",
  filters: {}
}

const textOf = (rows: ReadonlyArray<Row>, form: FileForm = csvFile, filters: Query = {}) => {
  const bytes = form.bytesOf(columns, Stream.fromIterable(rows.map(table.rowOf)), { ...heading, filters })
  return Effect.map(Stream.runCollect(bytes), (pieces) =>
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(pieces))
  )
}

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

describe("a CSV file with a heading", () => {
  it.effect("says in its first lines who made it, when and with which filters", () =>
    Effect.gen(function* () {
      const text = yield* textOf([rowOf("Ann")], csvFileWithHeading, { query: '=1"', status: ["SENT", "EXPIRED"] })
      assert.match(
        text,
        /^\uFEFF"List","Audit log"\r\n"Organization","Kinder & Co"\r\n"Made by","ann@example.org"\r\n"Made on","1 February 2026 at .*\(Pacific\/Kiritimati\)"\r\n"Filter","query: =1"""\r\n"Filter","status: SENT, EXPIRED"\r\n\r\nname,count,isPaid\r\nAnn,-1,\r\n$/
      )
      assert.include(
        yield* textOf([], csvFileWithHeading, { sort: "id:asc", include: "owners" }),
        '"Filter","none"\r\n\r\nname'
      )
    })
  )
})

describe("a page to print", () => {
  it.effect("says who made it, when and with which filters, and ends with its count", () =>
    Effect.gen(function* () {
      const none = yield* textOf([], htmlFile)
      assert.include(none, "<h1>Audit log</h1>")
      assert.match(none, /Made by ann@example.org on 1 February 2026 at 1:00:00.am .*\(Pacific\/Kiritimati\)/)
      assert.include(none, "All rows, without a filter.")
      assert.include(none, "0 rows. End of the list.")
      const one = yield* textOf([{ name: "Ann", count: 0, isPaid: null }], htmlFile, { operation: ["READ", "CREATE"] })
      assert.include(one, "<li>operation: READ, CREATE</li>")
      assert.include(one, '<th scope="col">name</th><th scope="col">count</th><th scope="col">isPaid</th>')
      assert.include(one, "<tr><td>Ann</td><td>0</td><td></td></tr>")
      assert.include(one, "1 row. End of the list.")
    })
  )

  it.effect("counts the rows of all pieces", () =>
    Effect.gen(function* () {
      assert.include(yield* textOf(Array(777).fill(rowOf("Ann")), htmlFile), "777 rows. End of the list.")
    })
  )

  it.effect("threat 53: runs nothing that a value or a filter contains", () =>
    Effect.gen(function* () {
      const hostile = `</td><script src="https://x.example"></script>'&`
      const text = yield* textOf([rowOf(hostile)], htmlFile, { [hostile]: hostile })
      assert.notInclude(text, "<script")
      assert.include(
        text,
        "<td>&lt;/td&gt;&lt;script src=&quot;https://x.example&quot;&gt;&lt;/script&gt;&#39;&amp;</td>"
      )
      assert.include(text, "Kinder &amp; Co")
      assert.include(text, `content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;"`)
    })
  )
})

describe("the wish for a file", () => {
  it.each([
    ["text/csv", "csv"],
    ["text/csv;heading=present", "csv"],
    ["TEXT/CSV; charset=utf-8", "csv"],
    ["text/csv, */*;q=0.1", "csv"],
    ["application/json;q=0.5, text/csv;q=0.8", "csv"],
    ["text/html,application/xhtml+xml,*/*;q=0.8", "html"],
    ["text/html;q=0.5, text/csv", "csv"],
    ["text/html, text/csv;q=0.5", "html"],
    ["text/html, application/json", undefined],
    ["text/csv, application/json", undefined],
    ["text/csv;q=0.5, application/json", undefined],
    ["text/csv;q=0", undefined],
    ["text/csv;q=x", undefined],
    ["text/*", undefined],
    ["*/*", undefined],
    ["text/csvx", undefined],
    ["", undefined]
  ])("Accept: %s is %s", (accept, expected) => {
    assert.strictEqual(ListFiles.formWanted(callOf({ body: "", headers: { accept } }))?.extension, expected)
  })
})

it("a CSV file has a heading only if the caller asks for it", () => {
  const wanted = (accept: string) => ListFiles.formWanted(callOf({ body: "", headers: { accept } }))
  assert.strictEqual(wanted("text/csv; Heading=present"), csvFileWithHeading)
  for (const accept of ["text/csv", "text/csv;heading=absent", "text/html;heading=present, text/csv;q=0.5"]) {
    assert.notStrictEqual(wanted(accept), csvFileWithHeading)
  }
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

const tenant = { id: "tnt_0000000000000001", timeZone: "UTC" } as CurrentTenant["Service"]

/** Makes the files, with callers that `found` authenticates. */
const making = (
  found: () => Effect.Effect<Caller["Service"], Unauthenticated> = () => Effect.succeed(callerOf("one"))
) =>
  ListFiles.make.pipe(
    Effect.provideService(WhoAmI, WhoAmI.of({ read: Effect.succeed({ email: null } as WhoAmIDocument) })),
    Effect.provideService(
      Authentication,
      Authentication.of({
        authenticate: found,
        authenticateSession: found,
        authenticateAt: found,
        authenticateSessionAt: found
      })
    )
  )

/** Answers pages of rows as a file, and returns the response and its body. */
const answering = (
  fileOf: ListFiles.ListFiles["Service"],
  pages: Stream.Stream<ReadonlyArray<Row>> = Stream.empty,
  tenantId = "tnt_0000000000000001"
) => {
  const call = callOf({ body: "" })
  call.provide(CurrentTenant, tenant)
  call.needs = [{ entityType: "worker", operation: "READ" }]
  return fileOf(call, csvFile, "people", table, Effect.succeed({ first: [], pages })).pipe(
    Effect.provideService(Caller, callerOf(tenantId)),
    Effect.map((response) => ({
      response,
      body: response.body._tag === "Stream" ? Stream.runDrain(response.body.stream) : Effect.die("no stream")
    }))
  )
}

describe("the answer", () => {
  it.effect("names the file by the day in the tenant's time zone", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 31, 11))
      const { response } = yield* answering(yield* making())
      const { headers } = HttpServerResponse.toWeb(response)
      assert.strictEqual(headers.get("content-type"), "text/csv; charset=utf-8")
      assert.strictEqual(headers.get("content-disposition"), 'attachment; filename="people-2026-02-01.csv"')
    })
  )

  it.effect("threat 43: has places: two for each tenant and eight in all, taken only while a body is read", () =>
    Effect.gen(function* () {
      const fileOf = yield* making()
      const done = yield* Deferred.make<void>()
      const waiting = Stream.fromEffect(Effect.as(Deferred.await(done), [rowOf("Ann")]))
      const isRefused = (tenantId: string) =>
        Effect.map(Effect.exit(answering(fileOf, Stream.empty, tenantId)), (exit) => exit._tag === "Failure")
      const begin = (tenantId: string) =>
        Effect.flatMap(answering(fileOf, waiting, tenantId), ({ body }) =>
          Effect.forkChild(body, { startImmediately: true })
        )
      for (let unread = 0; unread < 9; unread++) yield* answering(fileOf, waiting)
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

  it.effect("ends, incomplete, after an hour", () =>
    Effect.gen(function* () {
      const pages = Stream.map(Stream.range(1, 1000), () => [rowOf("Ann")])
      const slowly = (seconds: number) => Stream.tap(pages, () => TestClock.adjust(seconds * 1000))
      const { body: inTime } = yield* answering(yield* making(), slowly(3.5))
      yield* inTime
      const { body: late } = yield* answering(yield* making(), slowly(3.7))
      assert.include(String(yield* Effect.exit(late)), "took too long")
    })
  )

  it.effect.each([
    ["has ended", Effect.fail(new Unauthenticated())],
    ["lacks the privilege", Effect.succeed({ ...callerOf("one"), privileges: new Set<never>() })],
    ["is limited to units", Effect.succeed({ ...callerOf("one"), limitedTo: ["unit_0000000000000001"] })]
  ] as const)("threat 58: ends, incomplete, at the page after which the caller %s", ([, later]) =>
    Effect.gen(function* () {
      let isEnded = false
      let read = 0
      const fileOf = yield* making(() => (isEnded ? later : Effect.succeed(callerOf("one"))))
      const pages = Stream.range(1, 9).pipe(
        Stream.rechunk(1),
        Stream.map((page) => {
          read = page
          isEnded = page >= 3
          return [] // a filter that finds nothing
        })
      )
      const { body } = yield* answering(fileOf, pages)
      assert.include(String(yield* Effect.exit(body)), "AccessEnded")
      assert.strictEqual(read, 3)
    })
  )
})
